// When a rule acts: each kind of condition with its schema, its words and its test.
import { z } from 'zod'
import { ModelPattern, shortText, Tag } from '../../../shared/api/spend-limits.ts'
import { createMatcher } from '../../../shared/values/model-pattern.ts'
import type { RequestFacts, StateFacts } from './facts.ts'
import { CALLERS, type CallerKind, EFFORTS, PREMIUM_NAMES, PREMIUMS } from './terms.ts'
import { formatCount, joinWords } from './words.ts'

const MAX_NAMES = 50
/** A limit that is used up stops requests by itself, so a rule would never act there. */
const MAX_PERCENT = 99

const percent = z.int().min(1).max(MAX_PERCENT)
const some = <T extends z.ZodType>(item: T) => z.array(item).min(1).max(MAX_NAMES)
const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time such as 18:00' })
const tokens = z.int().min(1).max(10_000_000)

const SCHEMAS = {
  budget: z.strictObject({
    kind: z.literal('budget'),
    of: z
      .enum(['key', 'account', 'any'])
      .describe('Whose limits count, however they act; of several the one that is used most.'),
    percent,
  }),
  plan: z.strictObject({ kind: z.literal('plan'), percent }),
  model: z.strictObject({ kind: z.literal('model'), models: some(ModelPattern) }),
  tool: z.strictObject({ kind: z.literal('tool'), tools: some(shortText(60)) }),
  caller: z.strictObject({
    kind: z.literal('caller'),
    is: z
      .enum(CALLERS)
      .describe('`side`: a call that the client marks as auxiliary, or a single question without tools.'),
  }),
  tag: z.strictObject({ kind: z.literal('tag'), tags: some(Tag) }),
  key: z.strictObject({ kind: z.literal('key'), keys: some(z.string().max(100)) }),
  prompt: z
    .strictObject({ kind: z.literal('prompt'), atLeast: tokens.optional(), atMost: tokens.optional() })
    .refine(({ atLeast, atMost }) => atLeast !== undefined || atMost !== undefined, {
      error: 'needs "atLeast" or "atMost"',
    }),
  effort: z.strictObject({ kind: z.literal('effort'), atLeast: z.enum(EFFORTS) }),
  premium: z.strictObject({ kind: z.literal('premium'), any: some(z.enum(PREMIUMS)) }),
  time: z.strictObject({
    kind: z.literal('time'),
    from: clock,
    to: clock.describe('Exclusive. Before `from`, it is on the next day.'),
    days: z.array(z.int().min(0).max(6)).min(1).max(7).optional().describe('0 is Monday.'),
  }),
} as const

type Kind = keyof typeof SCHEMAS
type OfKind = { [K in Kind]: z.infer<(typeof SCHEMAS)[K]> & { kind: K } }
/** A form in which the compiler knows that a condition and its row belong together. */
type Of<K extends Kind> = { [P in K]: OfKind[P] }[K]

export const Condition = z
  .discriminatedUnion('kind', [
    SCHEMAS.budget,
    SCHEMAS.plan,
    SCHEMAS.model,
    SCHEMAS.tool,
    SCHEMAS.caller,
    SCHEMAS.tag,
    SCHEMAS.key,
    SCHEMAS.prompt,
    SCHEMAS.effort,
    SCHEMAS.premium,
    SCHEMAS.time,
  ])
  .meta({ id: 'RuleCondition', description: 'One thing that must be so for a rule to act.' })
export type Condition = z.infer<typeof Condition>

export interface Names {
  /** The name of a key. */
  key(id: string): string
}

interface KindRow<C> {
  /** `when`: the text begins the sentence; `who` and `which`: it describes the requests. */
  place: 'when' | 'who' | 'which'
  describe(condition: C, names: Names): string
  /** `state`: the facts that change, as they are now or were at the start. */
  holds(condition: C, facts: RequestFacts, state: StateFacts): boolean
}

const CALLER_NAMES: Readonly<Record<CallerKind, string>> = {
  main: 'main agents',
  subagent: 'sub-agents',
  side: 'side calls',
}

const LIMIT_NAMES = { key: 'a limit of the key', account: 'a limit of the account', any: 'a limit' } as const
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

const KINDS: { [K in Kind]: KindRow<Of<K>> } = {
  budget: {
    place: 'when',
    describe: ({ of, percent: share }) => `${LIMIT_NAMES[of]} is ${share}% used`,
    holds: ({ of, percent: share }, _, { keyPercent, accountPercent }) =>
      (of !== 'account' && reaches(keyPercent, share)) || (of !== 'key' && reaches(accountPercent, share)),
  },
  plan: {
    place: 'when',
    describe: ({ percent: share }) => `a window of a plan is ${share}% used`,
    holds: ({ percent: share }, _, { planPercent }) => reaches(planPercent, share),
  },
  model: {
    place: 'which',
    describe: ({ models }) => `to ${joinWords(models, 'or')}`,
    holds: ({ models }, { model, providerId }) => createMatcher(models)(model, providerId),
  },
  tool: {
    place: 'which',
    describe: ({ tools }) => `of ${joinWords(tools, 'or')}`,
    holds: ({ tools }, { program }) => tools.some((tool) => tool.toLowerCase() === program.toLowerCase()),
  },
  caller: {
    place: 'who',
    describe: ({ is }) => CALLER_NAMES[is],
    holds: ({ is }, { caller }) => caller === is,
  },
  tag: {
    place: 'which',
    describe: ({ tags }) => `of the project ${joinWords(tags, 'or')}`,
    holds: ({ tags }, { tag }) => tag !== null && tags.includes(tag),
  },
  key: {
    place: 'which',
    describe: ({ keys }, names) => `with the key ${joinWords(keys.map(names.key), 'or')}`,
    holds: ({ keys }, { keyId }) => keyId !== null && keys.includes(keyId),
  },
  prompt: {
    place: 'which',
    describe: ({ atLeast, atMost }) => {
      if (atLeast === undefined) return `with at most ${formatCount(atMost ?? 0)} tokens of prompt`
      if (atMost === undefined) return `with at least ${formatCount(atLeast)} tokens of prompt`
      return `with ${formatCount(atLeast)} to ${formatCount(atMost)} tokens of prompt`
    },
    holds: ({ atLeast = 0, atMost = Infinity }, _, { promptTokens }) =>
      promptTokens >= atLeast && promptTokens <= atMost,
  },
  effort: {
    place: 'which',
    describe: ({ atLeast }) => `with an effort of ${atLeast} or more`,
    holds: ({ atLeast }, { effort }) =>
      effort !== null && EFFORTS.indexOf(effort) >= EFFORTS.indexOf(atLeast),
  },
  premium: {
    place: 'which',
    describe: ({ any }) =>
      `that ask for ${joinWords(
        any.map((name) => PREMIUM_NAMES[name]),
        'or',
      )}`,
    holds: ({ any }, { premiums }) => premiums?.some((premium) => any.includes(premium)) ?? false,
  },
  time: {
    place: 'when',
    describe: ({ from, to, days }) => {
      const time = `it is ${from} to ${to}`
      return days
        ? `${time} on ${joinWords(
            days.map((day) => DAYS[day] ?? ''),
            'or',
          )}`
        : time
    },
    holds: ({ from, to, days }, _, { minute, weekday }) => {
      const [start, end] = [toMinute(from), toMinute(to)]
      const isNight = end <= start
      const isIn = isNight ? minute >= start || minute < end : minute >= start && minute < end
      // After midnight it is still the night of the day before.
      const day = isNight && minute < end ? (weekday + 6) % 7 : weekday
      return isIn && (days === undefined || days.includes(day))
    },
  },
}

function reaches(used: number | null, share: number): boolean {
  return used !== null && used >= share
}

function toMinute(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

export function holds<K extends Kind>(
  condition: Of<K>,
  facts: RequestFacts,
  state: StateFacts = facts,
): boolean {
  const row: KindRow<Of<K>> = KINDS[condition.kind]
  return row.holds(condition, facts, state)
}

/** The words of a condition, and their place in a sentence. */
export function describeCondition<K extends Kind>(
  condition: Of<K>,
  names: Names,
): { place: KindRow<never>['place']; text: string } {
  const row: KindRow<Of<K>> = KINDS[condition.kind]
  return { place: row.place, text: row.describe(condition, names) }
}
