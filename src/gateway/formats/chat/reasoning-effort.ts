// How much a model is likely to reason before the first text of its answer, by what a request in any format asks for.
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { isGiven, isObject, type JsonObject, wholeNumber } from '../json/json.ts'
import type { Quirks } from './codec-types.ts'

/** Tokens of an answer without reasoning. */
export const ANSWER_TOKENS = 1_000

/** Tokens of an answer with its reasoning, by effort. */
const BY_EFFORT: ReadonlyMap<unknown, number> = new Map([
  ['none', ANSWER_TOKENS],
  ['minimal', ANSWER_TOKENS],
  ['low', 4_000],
  ['medium', 8_000],
  ['high', 20_000],
  ['xhigh', 20_000],
  ['max', 20_000],
])
/** Where no effort is given, or one that is not known here. */
const DEFAULT_BUDGET_TOKENS = 8_000

/**
 * Whether a model that can reason does, by its default and by what the request asks for. An effort in `output_config` is that of
 * the answer.
 */
export function mayReason(
  sent: JsonObject | ChatRequest,
  { reasoningOffByDefault }: Pick<Quirks, 'reasoningOffByDefault'>,
): boolean {
  if (!reasoningOffByDefault) return true
  if (isOff(sent)) return false
  const asked = [sent.thinking, sent.reasoning_effort, sent.reasoning, sent.thinking_budget]
  return asked.some((value) => isGiven(value) && value !== 'none')
}

/**
 * The likely output tokens of a model that reasons, with the reasoning that its provider may not show. `sent`: a request in any
 * format. A budget for the reasoning counts before an effort.
 */
export function likelyReasoning(sent: JsonObject | ChatRequest): number {
  const [budget] = readBudgets(sent)
  if (budget !== undefined) return budget === 0 ? ANSWER_TOKENS : budget + ANSWER_TOKENS
  if (isOff(sent)) return ANSWER_TOKENS
  const effort = readEfforts(sent).find((value) => typeof value === 'string')
  return BY_EFFORT.get(typeof effort === 'string' ? effort.toLowerCase() : null) ?? DEFAULT_BUDGET_TOKENS
}

/** Tokens; Gemini's -1 leaves it to the model. */
function readBudgets(sent: JsonObject): number[] {
  const thinking = thinkingConfig(sent)
  return [
    member(sent.thinking, 'budget_tokens'),
    thinking.thinkingBudget ?? thinking.thinking_budget,
    member(sent.reasoning, 'max_tokens'),
    sent.thinking_budget,
  ]
    .map((value) => wholeNumber(value))
    .filter((value) => value !== null)
}

function readEfforts(sent: JsonObject): unknown[] {
  const thinking = thinkingConfig(sent)
  return [
    sent.reasoning_effort,
    member(sent.reasoning, 'effort'),
    member(sent.output_config, 'effort'),
    thinking.thinkingLevel ?? thinking.thinking_level,
  ]
}

function isOff(sent: JsonObject): boolean {
  return (
    member(sent.thinking, 'type') === 'disabled' ||
    member(sent.reasoning, 'enabled') === false ||
    sent.enable_thinking === false
  )
}

function thinkingConfig(sent: JsonObject): JsonObject {
  const config = sent.generationConfig ?? sent.generation_config
  const thinking = member(config, 'thinkingConfig') ?? member(config, 'thinking_config')
  return isObject(thinking) ? thinking : {}
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}
