// The events in a simulated world: a list of actions, all of which follow from the seed. Each has its moment and its own
// seed, so that without one of them the others stay the same.
import type { RuleInput } from '../../../features/rules/api/rules.ts'
import type { AccountSpendLimit, SpendLimit } from '../../../shared/api/spend-limits.ts'
import { createRandom, type Random, randomForCase } from '../random.ts'
import { drawSpread } from './credential-spread.ts'
import { drawAccountLimit, drawLimit } from './limits.ts'
import { models } from './models.ts'
import { drawRules } from './rules.ts'

const CLIENT_FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const
export type ClientFormat = (typeof CLIENT_FORMATS)[number]

interface Moment {
  id: number
  /** Milliseconds from the start. */
  at: number
}

export interface RequestAction extends Moment {
  kind: 'request'
  key: number
  format: ClientFormat
  model: string
  seed: number
  /** The action whose Idempotency-Key and body this one repeats. */
  repeats: number | null
  /** Whether it has an Idempotency-Key. */
  idempotent: boolean
  /** Milliseconds until the client leaves; null if it waits for the end. */
  hangUpMs: number | null
  /** Milliseconds in which the client reads what one write brings; null if it always reads. */
  readMs: number | null
  /** One of many requests for long answers that arrive together; null for all others. */
  crowd: 'stream' | 'plain' | null
  session: string | null
  /** The sub-agent that sends it, within its session. */
  agent: string | null
  /** The project that the client names. */
  tag: string | null
}

/** The owner settles a request at the vendors' bills, or releases what is held for it. */
export interface CorrectionAction extends Moment {
  kind: 'settle' | 'release'
  /** The number of its action. */
  request: number
}

/** The owner answers the oldest limit that asks. */
export interface ApproveAction extends Moment {
  kind: 'approve'
  decision: 'allow' | 'once' | 'stop'
  usd: number
}

/** The effect of a pause on running requests. */
type RunningChoice = 'finish' | 'end'

export type Action =
  | RequestAction
  | CorrectionAction
  | ApproveAction
  | (Moment & { kind: 'cap'; key: number; usd: number | null })
  | (Moment & { kind: 'account'; usd: number | null })
  | (Moment & { kind: 'limits'; key: number; limits: readonly SpendLimit[] })
  | (Moment & { kind: 'account-limits'; limits: readonly AccountSpendLimit[] })
  | (Moment & { kind: 'revoke' | 'resume'; key: number })
  | (Moment & { kind: 'pause'; key: number; running: RunningChoice })
  | (Moment & { kind: 'pause-all'; running: RunningChoice })
  | (Moment & { kind: 'resume-all' })
  | (Moment & { kind: 'full' | 'lock' | 'clock'; ms: number })
  | (Moment & { kind: 'crash'; when: 'now' | 'before-commit' | 'after-commit' | 'lost-answer' })

export interface Plan {
  seed: number
  /** The bodies that create the keys. */
  keys: readonly Readonly<Record<string, unknown>>[]
  /** The bodies that create the rules, in their order. */
  rules: readonly RuleInput[]
  /** Whether sessions are spread over several credentials of each provider. */
  isSpread: boolean
  /** Nano-dollars that were spent before. */
  pastSpendNano: number
  /** Milliseconds that a commit takes at most. */
  slowestCommitMs: number
  actions: readonly Action[]
}

const FAULTS = [
  { name: 'cap', weight: 10 },
  { name: 'account', weight: 2 },
  { name: 'revoke', weight: 3 },
  { name: 'limits', weight: 4 },
  { name: 'account-limits', weight: 2 },
  { name: 'pause', weight: 3 },
  { name: 'pause-all', weight: 1 },
  { name: 'full', weight: 3 },
  { name: 'lock', weight: 4 },
  { name: 'clock', weight: 1 },
  { name: 'crash', weight: 4 },
  { name: 'correct', weight: 6 },
] as const

const RUNNING = ['finish', 'end'] as const

/** The maximum number of requests of the plan that arrive together. */
const BURST = 25

/** Requests for long answers that arrive together, and the share of worlds with such a crowd. */
const CROWD = { streams: 40, plain: 10, chance: 0.15 }

export function createPlan(seed: number, requests: number): Plan {
  const random = randomForCase(seed)
  const agents = createRandom(seed ^ 0x61c88647)
  const keys: Record<string, unknown>[] = Array.from({ length: random.between(2, 5) }, (_, number) => ({
    ...drawKey(number, random),
    ...(agents.chance(0.3) && { maxSubagents: agents.between(1, 2) }),
  }))
  const actions: Action[] = []
  let at = 0
  let left = requests
  while (left > 0) {
    at += Math.ceil(random.logNormal(1_500, 1.5))
    const count = Math.min(left, random.chance(0.25) ? random.between(2, BURST) : 1)
    left -= count
    const shared = {
      key: random.below(keys.length),
      model: random.any(models).id,
      format: drawFormat(random),
    }
    for (let number = 0; number < count; number++) {
      const spread = random.chance(0.5) ? 0 : random.below(200)
      actions.push(drawRequestAction({ id: actions.length, at: at + spread }, shared, actions, random))
    }
    while (random.chance(0.15)) {
      const fault = drawFault({ id: actions.length, at: at + random.below(4_000) }, keys, actions, random)
      actions.push(fault)
      // Someone resumes it soon.
      if (fault.kind === 'pause-all')
        actions.push({ id: actions.length, at: fault.at + random.below(10_000), kind: 'resume-all' })
      const crashes = fault.kind === 'lock' && random.chance(0.4)
      if (crashes)
        actions.push({
          id: actions.length,
          at: fault.at + random.below(fault.ms),
          kind: 'crash',
          when: 'now',
        })
    }
    const last = actions.at(-1)
    if (last?.kind === 'request' && last.repeats !== null && random.chance(0.1))
      actions.push({ id: actions.length, at: last.at + random.below(1_500), kind: 'revoke', key: last.key })
  }
  const crowd = randomForCase(seed, 1)
  if (crowd.chance(CROWD.chance)) {
    keys.push(drawCrowdKey(crowd))
    const together = drawCrowd(keys.length - 1, actions.length, crowd)
    actions.push(...together)
    const middle = Math.max(...together.map(({ at: sentAt }) => sentAt)) + crowd.below(20_000)
    if (crowd.chance(0.25)) actions.push({ id: actions.length, at: middle, kind: 'crash', when: 'now' })
  }
  const owner = createRandom(seed ^ 0x1b873593)
  for (const { at: moment } of [...actions])
    if (owner.chance(0.3))
      actions.push({
        id: actions.length,
        at: moment + owner.below(120_000),
        kind: 'approve',
        decision: owner.any(['allow', 'once', 'stop'] as const),
        usd: owner.any([0.05, 1]),
      })
  return {
    seed,
    keys,
    rules: drawRules(seed),
    isSpread: drawSpread(seed),
    pastSpendNano: random.chance(0.04) ? drawPastSpend(random) : 0,
    slowestCommitMs: random.any([1, 5, 30]),
    actions,
  }
}

/** Nano-dollars: a little less than the ledger admits, or than it can count exactly; docs/money.md. */
function drawPastSpend(random: Random): number {
  const left = random.below(random.any([50_000_000, 2_000_000_000]))
  return random.any([8_000_000_000_000_000, 9_007_199_254_740_991, 9_007_199_254_740_991]) - left
}

function drawKey(number: number, random: Random): Record<string, unknown> {
  return {
    name: `Key ${number}`,
    scope: 'full',
    guard: 'off',
    ...(random.chance(0.3) && { strict: true }),
    ...(random.chance(0.75) && { spendLimitUsd: random.any([0.02, 0.1, 0.5, 2, 10]) }),
    ...(random.chance(0.3) && { spendLimits: drawLimits(random) }),
    ...(random.chance(0.2) && { tag: 'shop' }),
  }
}

const drawLimits = (random: Random): SpendLimit[] =>
  Array.from({ length: random.between(1, 2) }, () => drawLimit(random))

/** Most clients use the format of most vendors. */
function drawFormat(random: Random): ClientFormat {
  return random.chance(0.4) ? 'openai-chat' : random.any(CLIENT_FORMATS)
}

function drawRequestAction(
  moment: Moment,
  shared: Pick<RequestAction, 'key' | 'model' | 'format'>,
  actions: readonly Action[],
  random: Random,
): RequestAction {
  const hangUpMs = random.chance(0.12) ? Math.ceil(random.logNormal(800, 1.5)) : null
  const session = random.chance(0.4) ? random.any(['a', 'b', 'c']) : null
  const before = actions.at(-1)
  const seed = random.between(1, 2 ** 31)
  const fresh = {
    ...moment,
    ...shared,
    kind: 'request' as const,
    seed,
    repeats: null,
    idempotent: random.chance(0.15),
    hangUpMs,
    readMs: drawReading(seed),
    crowd: null,
    session,
    agent: session === null ? null : drawAgent(seed),
    tag: random.chance(0.2) ? random.any(['shop', 'lab']) : null,
  }
  if (before?.kind !== 'request' || !before.idempotent || !random.chance(0.6)) return fresh
  return { ...before, ...moment, repeats: before.repeats ?? before.id, hangUpMs }
}

/** Drawn apart from the rest, which stays the same without it. */
function drawAgent(seed: number): string | null {
  const random = createRandom(seed ^ 0x3a9e51f7)
  return random.chance(0.5) ? random.any(['explorer', 'writer', 'tester']) : null
}

function drawReading(seed: number): number | null {
  const random = createRandom(seed ^ 0x165667b1)
  return random.chance(0.05) ? random.any([20, 1_000, 15_000]) : null
}

/** Streams and plain calls of one key that arrive together, all with long answers. */
function drawCrowd(key: number, firstId: number, random: Random): RequestAction[] {
  const model = random.any(models).id
  const format = drawFormat(random)
  const start = random.below(60_000)
  return Array.from({ length: CROWD.streams + CROWD.plain }, (_, number) => ({
    ...{ id: firstId + number, at: start + random.below(3_000), kind: 'request', key, format, model },
    ...{ seed: random.between(1, 2 ** 31), repeats: null, idempotent: false, hangUpMs: null, readMs: null },
    crowd: number < CROWD.streams ? 'stream' : 'plain',
    ...{ session: 'crowd', agent: null, tag: null },
  }))
}

function drawCrowdKey(random: Random): Record<string, unknown> {
  const usd = random.any([0.1, 0.5, 1, 2])
  const limit = { usd, per: 'day', action: random.any(['stop', 'ask']) }
  return {
    ...{ name: 'Crowd', scope: 'full', guard: 'off' },
    ...(random.chance(0.2) && { strict: true }),
    ...(random.chance(0.6) ? { spendLimitUsd: usd } : { spendLimits: [limit] }),
  }
}

function drawFault(
  moment: Moment,
  keys: readonly unknown[],
  actions: readonly Action[],
  random: Random,
): Action {
  const key = random.below(keys.length)
  const { name } = random.pick(FAULTS)
  switch (name) {
    case 'cap':
      return {
        ...moment,
        kind: name,
        key,
        usd: random.chance(0.1) ? null : random.any([0.05, 0.2, 1, 5, 20]),
      }
    case 'account':
      return { ...moment, kind: name, usd: random.chance(0.5) ? null : random.any([1, 5, 20]) }
    case 'full':
      return { ...moment, kind: name, ms: random.between(50, 8_000) }
    case 'lock':
      return { ...moment, kind: name, ms: random.between(100, 6_000) }
    case 'clock':
      return { ...moment, kind: name, ms: random.any([-3_600_000, -1_000, 60_000, 86_400_000]) }
    case 'crash':
      return {
        ...moment,
        kind: name,
        when: random.any(['now', 'now', 'before-commit', 'after-commit', 'lost-answer'] as const),
      }
    case 'correct':
      return {
        ...moment,
        at: moment.at + random.below(60_000),
        kind: random.any(['settle', 'release'] as const),
        request: random.any(actions).id,
      }
    case 'pause':
      return random.chance(0.5)
        ? { ...moment, kind: name, key, running: random.any(RUNNING) }
        : { ...moment, kind: 'resume', key }
    case 'pause-all':
      return { ...moment, kind: name, running: random.any(RUNNING) }
    case 'limits':
      return { ...moment, kind: name, key, limits: drawLimits(random) }
    case 'account-limits':
      return {
        ...moment,
        kind: name,
        limits: random.chance(0.5) ? [] : [drawAccountLimit(random)],
      }
    default:
      return { ...moment, kind: name, key }
  }
}
