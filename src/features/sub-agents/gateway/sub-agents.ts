// How many sub-agents of a session are at work: a key can limit that, as each has a context and a cost of its own.
import type { Clock } from '../../../gateway/platform/clock.ts'
import { GatewayError } from '../../../gateway/platform/errors.ts'
import type { Arrival, RequestHook } from '../../../gateway/request/run.ts'

/** How long a sub-agent counts after its last request: meanwhile it runs tools. */
const REST_MS = 30_000
const RETRY_AFTER_S = 10
/** Sessions that are remembered before those at rest are forgotten. */
const MAX_SESSIONS = 1_000

interface SubAgent {
  running: number
  /** Monotonic milliseconds of the end of its last request. */
  restsSince: number
}

export class SubAgents implements RequestHook {
  readonly #clock: Clock
  readonly #bySession = new Map<string, Map<string, SubAgent>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Counts a request of a sub-agent until it ends. Only keys with a limit are counted. Throws 429 when as many others of its session
   * are at work as the key allows.
   */
  before(arrival: Arrival): undefined {
    const { name, maxSubagents } = arrival.call.key
    const { sessionId, agentId } = arrival.place
    if (maxSubagents === null || sessionId === null || agentId === null) return
    if (this.#bySession.size >= MAX_SESSIONS) for (const id of this.#bySession.keys()) this.#findWorking(id)
    const agents = this.#findWorking(sessionId)
    const workingAgent = agents.get(agentId)
    if (!workingAgent && agents.size >= maxSubagents) throw tooMany(name, maxSubagents)
    const agent = workingAgent ?? { running: 0, restsSince: 0 }
    agent.running += 1
    agents.set(agentId, agent)
    this.#bySession.set(sessionId, agents)
    arrival.onEnd(() => {
      agent.running -= 1
      agent.restsSince = this.#clock.monotonic()
    })
  }

  /** The sub-agents of a session that are at work; all others are forgotten. */
  #findWorking(sessionId: string): Map<string, SubAgent> {
    const agents = this.#bySession.get(sessionId) ?? new Map<string, SubAgent>()
    const restsUntil = this.#clock.monotonic() - REST_MS
    for (const [id, { running, restsSince }] of agents)
      if (running === 0 && restsSince <= restsUntil) agents.delete(id)
    if (agents.size === 0) this.#bySession.delete(sessionId)
    return agents
  }
}

function tooMany(name: string, most: number): GatewayError {
  const count = most === 1 ? 'one sub-agent' : `${most} sub-agents`
  return new GatewayError({
    status: 429,
    type: 'rate_limit_exceeded',
    code: 'subagent_limit_reached',
    param: 'maxSubagents',
    message: `The key "${name}" allows ${count} of a session at the same time, and as many are at work. Try again when one has ended, or raise the number in Tollgate.`,
    headers: { 'retry-after': String(RETRY_AFTER_S), 'x-should-retry': 'true' },
  })
}
