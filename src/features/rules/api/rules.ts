import { z } from 'zod'
import { shortText } from '../../../shared/api/spend-limits.ts'
import { Action, describeAction, isLone } from './actions.ts'
import { Condition, describeCondition, type Names } from './conditions.ts'
import { RULE_MODES, RULE_STARTS } from './terms.ts'
import { joinWords } from './words.ts'

const MAX_CONDITIONS = 8
const MAX_ACTIONS = 4
/** The most rules that there can be. */
export const MAX_RULES = 100

function isOnce(list: readonly { kind: string }[]): boolean {
  return new Set(list.map(({ kind }) => kind)).size === list.length
}

const shape = {
  name: shortText(80).nullable().default(null).describe('Null for one that its sentence names.'),
  when: z
    .array(Condition)
    .max(MAX_CONDITIONS)
    .refine(isOnce, { error: 'must have each kind once' })
    .default([])
    .describe('All of these must be so; without any, it acts on every request.'),
  do: z
    .array(Action)
    .min(1)
    .max(MAX_ACTIONS)
    .refine(isOnce, { error: 'must have each kind once' })
    .refine((list) => list.length === 1 || !list.some(isLone), {
      error: 'must be "ask" or "deny" alone, or other actions',
    }),
  at: z
    .enum(RULE_STARTS)
    .default('start')
    .describe(
      '`start`: limits, plans, the size of the prompt and the time count as they are when a session or sub-agent begins, and one that has begun is not changed. `any`: also in the middle, where the cached prompt is written again.',
    ),
  mode: z.enum(RULE_MODES).default('off').describe('`shadow`: it only records what it would have done.'),
}

export const RuleInput = z.strictObject(shape).meta({ id: 'RuleInput' })
export type RuleInput = z.infer<typeof RuleInput>

export const RuleChange = z
  .strictObject({
    name: shape.name.unwrap().optional(),
    when: shape.when.unwrap().optional(),
    do: shape.do.optional(),
    at: shape.at.unwrap().optional(),
    mode: shape.mode.unwrap().optional(),
    position: z.int().min(0).max(MAX_RULES).optional().describe('Its place in the list; the first is 0.'),
  })
  .meta({ id: 'RuleChange' })
export type RuleChange = z.infer<typeof RuleChange>

const RuleSums = z
  .object({
    requests: z.number().describe('How many it changed or refused.'),
    asked: z.number().describe('How many waited for your permission.'),
    savedUsd: z
      .number()
      .describe('What the same tokens would have cost as they were asked for, less what they have cost.'),
    rewriteUsd: z.number().describe('What writing cached prompts again cost, which is not in `savedUsd`.'),
    unpriced: z.number().describe('Requests of which a price is not known; they are in no sum.'),
  })
  .meta({ id: 'RuleSums' })

export const Rule = z
  .object({
    ...shape,
    id: z.string(),
    sentence: z.string(),
    createdAt: z.iso.datetime(),
    changedAt: z.iso.datetime().describe('It acts on sessions that begin after that.'),
    acted: RuleSums.describe('Over the last 30 days.'),
    shadowed: RuleSums.describe('The same, of what it would have done in the mode `shadow`.'),
  })
  .meta({ id: 'Rule', description: 'The first rule whose conditions hold acts on a request.' })
export type Rule = z.infer<typeof Rule>

export const RuleList = z
  .object({ data: z.array(Rule).describe('In the order in which they are tried.') })
  .meta({ id: 'RuleList' })

export const DeletedRule = z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'DeletedRule' })

/** A rule in words: `When a limit is 80% used, sub-agents use claude-haiku-5-5.` */
export function describeRule(
  { when, do: actions, at }: Pick<RuleInput, 'when' | 'do' | 'at'>,
  names: Names,
): string {
  const parts = when.map((condition) => describeCondition(condition, names))
  const textsAt = (place: string) => parts.filter((part) => part.place === place).map(({ text }) => text)
  const [who = 'requests'] = textsAt('who')
  const subject = [who, ...textsAt('which')].join(' ')
  const verbs = joinWords(actions.map(describeAction), 'and')
  const held = textsAt('when')
  const main = `${subject} ${verbs}${at === 'any' ? ', also within a session' : ''}.`
  const sentence = held.length > 0 ? `when ${joinWords(held, 'and')}, ${main}` : main
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
