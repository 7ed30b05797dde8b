// Owns the words for how hard a model is to think, as the chat-completions format has them, and the way to the words
// or token budgets that a model knows. Knows no format but that one.
import type { ChatRequest } from '../../../shared/chat.ts'
import { refuseRequest } from '../refuse-request.ts'

/** Weakest first. Source: OpenAI's API reference, `reasoning_effort`. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof EFFORTS)[number]

/** How a model is told how hard to think: by a word, by a number of tokens, or not at all. */
export type Thinking = 'level' | 'budget' | 'none'

function isEffort(word: string): word is Effort {
  return EFFORTS.some((effort) => effort === word)
}

/** What the client asks for, or null when it leaves that to the model. Throws 400 for a word that is none. */
export function readEffort(
  request: ChatRequest,
  { thinking = 'level' }: { readonly thinking?: Thinking },
): Effort | null {
  const word = request.reasoning_effort
  if (word === undefined || word === null || thinking === 'none') return null
  if (isEffort(word)) return word
  throw refuseRequest(
    `"${word.slice(0, 40)}" is not a reasoning effort: use one of ${EFFORTS.join(', ')}.`,
    'reasoning_effort',
  )
}

/** The effort itself when it is among the known ones, else the next weaker of them, else the weakest. */
export function nearestEffort<Known extends Effort>(
  effort: Effort,
  known: readonly [Known, ...Known[]],
): Known {
  const rank = EFFORTS.indexOf(effort)
  return known.reduce((best, each) => (EFFORTS.indexOf(each) <= rank ? each : best), known[0])
}

/** Tokens to think with, for models that want a number. The figures Google's own compatible endpoint uses. */
export const THINKING_BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 32_768,
}
