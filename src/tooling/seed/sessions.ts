// Puts seeded requests into sessions: runs of agents, whose requests follow each other closely, and requests of other
// programs until a pause. It has its own random numbers, so that all else stays unchanged.
import { createSessionId, PAUSE_MS } from '../../gateway/sessions/live-sessions.ts'
import type { NewSession } from '../../gateway/store/store.ts'
import { createRandom, type Random } from '../../gateway/testing/random.ts'
import { clientName } from '../../shared/values/client-name.ts'
import type { FinishedRequest } from './draw-request.ts'
import type { SeedModel } from './models.ts'
import { type RunStep, RunSteps } from './run-steps.ts'

const HOUR_MS = 60 * 60_000
/** Prompts are stored for this long before the end. */
const STORED_MS = 21 * 24 * HOUR_MS

/** How long after its start a run may still gather requests, and the median time between two of them. */
interface Pace {
  hours: number
  gapMs: number
  /** How often the user reads and thinks first. */
  pauses: number
}
const AGENT: Pace = { hours: 20, gapMs: 14_000, pauses: 0.06 }
const PROGRAM: Pace = { hours: 16, gapMs: 90_000, pauses: 0 }
const THINKING_MS = 4 * 60_000

const TASKS = [
  'Fix the flaky test in the checkout flow',
  'Add dark mode to the settings page',
  'Why does the import of large CSV files run out of memory?',
  'Write a migration that splits the name column',
  'Review the changes on this branch',
  'Upgrade to React 20 and fix what breaks',
  'Find out why the nightly build takes 40 minutes',
  'Add an endpoint that exports invoices as PDF',
  'Rename Customer to Account everywhere',
  'The date picker shows the wrong week in Brazil',
  'Draft release notes from the merged pull requests',
  'Make the search tolerate typing errors',
  'Replace the cron job that expires trials with a queue, keep both running for a week, and compare what they would have expired',
  'Explain how permissions are inherited',
  'Cache the product list for signed-out users',
  'Add tests for the webhook retries',
  'The Safari build shows a blank page after login',
  'Move feature flags from the database to a file',
  'Port the report generator to TypeScript',
  'Show the exchange rate that an invoice used',
]
const PROJECTS = [
  { tag: 'Website', weight: 5 },
  { tag: 'Billing API', weight: 4 },
  { tag: 'Mobile app', weight: 2 },
  { tag: null, weight: 3 },
]

interface Place {
  session: NewSession
  tag: string | null
  /** The prompt of the run's first request; null for others. */
  task: string | null
  createdAt: number
  step: RunStep
}

interface Run extends Omit<Place, 'step'> {
  steps: RunSteps
  startedAt: number
  left: number
}

interface Caller {
  keyId: string
  client: string | null
  tag: string | null
}

export class SeedSessions {
  readonly #random: Random
  readonly #models: readonly SeedModel[]
  readonly #runs = new Map<string, Run>()
  #tasks: string[] = []

  constructor(number: number, models: readonly SeedModel[]) {
    this.#random = createRandom(number + 1_000)
    this.#models = models
  }

  /** Where a request of this moment belongs. It may be made a little earlier, right after the one before. */
  place({ keyId, client, tag }: Caller, moment: number): Place {
    const name = clientName(client)
    const agent = name.startsWith('codex') ? 'codex' : name.startsWith('claude') ? 'claude' : null
    const isAgent = agent !== null
    const caller = `${keyId} ${name}`
    const run = this.#runs.get(caller)
    const next = run ? this.#nextStep(run, moment, isAgent ? AGENT : PROGRAM) : moment
    if (run && this.#goesOn(run, next, isAgent)) {
      run.left -= 1
      const step = run.steps.next(next - run.createdAt)
      run.createdAt = Math.max(run.createdAt, next)
      return { ...run, createdAt: next, task: null, step }
    }
    const startedAt = moment
    const session = isAgent
      ? this.#agentSession(keyId, name)
      : this.#pausedSession({ keyId, name, startedAt })
    const steps = new RunSteps(this.#random, this.#models, agent)
    const started = {
      steps,
      session,
      tag: isAgent ? this.#random.pick(PROJECTS).tag : tag,
      task: isAgent ? this.#nextTask() : null,
      left: isAgent ? Math.ceil(this.#random.logNormal(22, 0.9)) : Number.POSITIVE_INFINITY,
      createdAt: moment,
      startedAt,
    }
    this.#runs.set(caller, started)
    return { ...started, step: steps.next(0) }
  }

  /** Each comes once before any comes again. */
  #nextTask(): string {
    if (this.#tasks.length === 0) this.#tasks = [...TASKS]
    const [task] = this.#tasks.splice(this.#random.below(this.#tasks.length), 1)
    return task ?? ''
  }

  #goesOn({ left, createdAt, startedAt }: Run, next: number, isAgent: boolean): boolean {
    return isAgent ? left > 0 && next - startedAt < AGENT.hours * HOUR_MS : next - createdAt <= PAUSE_MS
  }

  #nextStep({ createdAt, startedAt }: Run, moment: number, { hours, gapMs, pauses }: Pace): number {
    if (moment - startedAt > hours * HOUR_MS) return moment
    const median = this.#random.chance(pauses) ? THINKING_MS : gapMs
    return Math.min(moment, createdAt + Math.round(this.#random.logNormal(median, 0.7)))
  }

  #agentSession(keyId: string, name: string): NewSession {
    const hex = this.#random.hex(32)
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)]
    const clientSessionId = parts.join('-')
    const source = name.startsWith('codex') ? 'codex' : 'claude-code'
    const id = createSessionId({ keyId, source, value: clientSessionId })
    return { id, source, clientSessionId, keyId, clientName: name }
  }

  #pausedSession({ keyId, name, startedAt }: { keyId: string; name: string; startedAt: number }): NewSession {
    const id = createSessionId({ keyId, source: 'pause', value: name }, startedAt)
    return { id, source: 'pause', clientSessionId: null, keyId, clientName: name }
  }
}

/** The request with its session; with its prompt, if the run began a short time ago. */
export function withSession(
  request: FinishedRequest,
  { session, tag, task, createdAt }: Place,
  now: number,
): FinishedRequest {
  const place = { sessionId: session.id, session, tag }
  if ('refused' in request) return { refused: { ...request.refused, ...place } }
  const { opened, settled } = request
  if (task === null || createdAt < now - STORED_MS || settled.status !== 'succeeded')
    return { opened: { ...opened, ...place }, settled }
  const { requestedModel: model } = opened
  const bodies = {
    request: JSON.stringify({ model, messages: [{ role: 'user', content: task }] }),
    response: JSON.stringify({
      choices: [{ message: { role: 'assistant', content: 'I will look at it.' } }],
    }),
    title: task,
  }
  return { opened: { ...opened, ...place }, settled: { ...settled, bodies } }
}
