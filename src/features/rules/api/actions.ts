// What a rule does: each kind of action with its schema and its words.
import { z } from 'zod'
import { ModelId } from '../../../shared/api/models.ts'
import { EFFORTS, PREMIUM_NAMES, PREMIUMS } from './terms.ts'
import { formatCount, joinWords } from './words.ts'

const SCHEMAS = {
  model: z.strictObject({
    kind: z.literal('model'),
    model: ModelId.describe('The model that serves instead, as clients write it.'),
  }),
  effort: z.strictObject({
    kind: z.literal('effort'),
    atMost: z.enum(EFFORTS).describe('A higher effort becomes the nearest one below that the model has.'),
  }),
  thinking: z.strictObject({
    kind: z.literal('thinking'),
    atMost: z.int().min(1_024).max(1_000_000).describe('Tokens; a higher budget for thinking becomes this.'),
  }),
  remove: z.strictObject({
    kind: z.literal('remove'),
    what: z.array(z.enum(PREMIUMS)).min(1).max(PREMIUMS.length),
  }),
  ask: z
    .strictObject({ kind: z.literal('ask') })
    .describe(
      'The first request of a session or sub-agent waits until you allow it. The answer is for all of its requests.',
    ),
  deny: z.strictObject({ kind: z.literal('deny') }),
} as const

type Kind = keyof typeof SCHEMAS
type Of<K extends Kind> = { [P in K]: z.infer<(typeof SCHEMAS)[P]> & { kind: P } }[K]

export const Action = z
  .discriminatedUnion('kind', [
    SCHEMAS.model,
    SCHEMAS.effort,
    SCHEMAS.thinking,
    SCHEMAS.remove,
    SCHEMAS.ask,
    SCHEMAS.deny,
  ])
  .meta({ id: 'RuleAction', description: 'One thing that a rule does to a request.' })
export type Action = z.infer<typeof Action>

/** Whether it cannot be one of several. */
export function isLone({ kind }: Pick<Action, 'kind'>): boolean {
  return kind === 'ask' || kind === 'deny'
}

const WORDS: { [K in Kind]: (action: Of<K>) => string } = {
  model: ({ model }) => `use ${model}`,
  effort: ({ atMost }) => `reason with an effort of at most ${atMost}`,
  thinking: ({ atMost }) => `think with at most ${formatCount(atMost)} tokens`,
  remove: ({ what }) =>
    `go without ${joinWords(
      what.map((name) => PREMIUM_NAMES[name]),
      'and',
    )}`,
  ask: () => 'need permission',
  deny: () => 'are refused',
}

export function describeAction<K extends Kind>(action: Of<K>): string {
  return WORDS[action.kind](action)
}
