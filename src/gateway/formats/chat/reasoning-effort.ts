import type { ChatRequest } from '../../../shared/chat.ts'
import { refuseRequest } from './refuse-request.ts'

/** Weakest first. Source: OpenAI's API reference, `reasoning_effort`. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof EFFORTS)[number]

/** How the reasoning effort of a model is set: by level, by a token budget, or not at all. */
export type Thinking = 'level' | 'budget' | 'none'

function isEffort(value: string): value is Effort {
  return EFFORTS.some((effort) => effort === value)
}

/** The effort that the client requests, or null for the model's default. Throws 400 for an unknown one. */
export function readEffort(
  request: ChatRequest,
  { thinking = 'level' }: { readonly thinking?: Thinking },
): Effort | null {
  const value = request.reasoning_effort
  if (value === undefined || value === null || thinking === 'none') return null
  if (isEffort(value)) return value
  throw refuseRequest(
    `"${value.slice(0, 40)}" is not a reasoning effort: use one of ${EFFORTS.join(', ')}.`,
    'reasoning_effort',
  )
}

/** The effort if it is supported, else the next weaker one, else the weakest. */
export function nearestEffort<Known extends Effort>(
  effort: Effort,
  known: readonly [Known, ...Known[]],
): Known {
  const rank = EFFORTS.indexOf(effort)
  return known.reduce((best, each) => (EFFORTS.indexOf(each) <= rank ? each : best), known[0])
}

/** Token budgets for reasoning: those of Google's OpenAI-compatible endpoint. */
export const THINKING_BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 32_768,
}

/** Whether the model reasons on this request, as far as the request shows. */
export function usesReasoning(
  { reasoning_effort: effort }: ChatRequest,
  { reasoningOffByDefault }: { readonly reasoningOffByDefault?: true },
): boolean {
  return effort === undefined || effort === null ? !reasoningOffByDefault : effort !== 'none'
}
