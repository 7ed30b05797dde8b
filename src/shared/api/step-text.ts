// What a step of a session did, in one line, for the window and the command line.
import type { RequestRecord } from './requests.ts'
import type { SessionStep } from './sessions.ts'

/** `Bash npm test, Read /a.ts`; the first words of an answer that calls no tool. */
export function describeStep({ text, tools }: Pick<SessionStep, 'text' | 'tools'>): string {
  if (tools.length === 0) return text
  return tools.map(({ name, argument }) => `${name} ${argument}`.trim()).join(', ')
}

const STOPS: Readonly<Record<NonNullable<RequestRecord['finishReason']>, string>> = {
  stop: 'answer',
  length: 'cut at its limit',
  tool_calls: 'tool calls',
  content_filter: 'filtered',
}

type Unstored = Pick<RequestRecord, 'tokensIn' | 'usage' | 'finishReason'>

/** `85% cached, tool calls`: what is known of a step whose answer is not stored; '' for nothing. */
export function describeUnstored({ tokensIn, usage, finishReason }: Unstored): string {
  const cached = usage?.cacheRead ?? 0
  return [
    ...(cached === 0 || tokensIn === 0 ? [] : [`${Math.round((cached / tokensIn) * 100)}% cached`]),
    ...(finishReason === null ? [] : [STOPS[finishReason]]),
  ].join(', ')
}
