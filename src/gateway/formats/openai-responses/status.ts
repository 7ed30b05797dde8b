// How a response ended. Source: OpenAI's API reference (`status`, `incomplete_details`).

import { malformedAnswer, type UpstreamFailure } from '../chat/failure.ts'
import { isObject, type JsonObject } from '../json/json.ts'
import { readFailure } from './errors.ts'

const INCOMPLETE: ReadonlyMap<unknown, string> = new Map([
  ['max_output_tokens', 'length'],
  ['max_messages', 'length'],
  ['content_filter', 'content_filter'],
])

/** Values of other servers and later versions, such as none, count as complete. */
const UNFINISHED: ReadonlySet<unknown> = new Set(['queued', 'in_progress', 'cancelled'])

/** The finish reason, or the failure of a response that has no answer. */
export function readEnd(response: JsonObject, hasCalls: boolean): string | UpstreamFailure {
  const { status, error, incomplete_details: details } = response
  if (status === 'failed' || isObject(error)) return readFailure({ error })
  if (UNFINISHED.has(status))
    return malformedAnswer(`The provider ended its answer with the status "${status}".`)
  if (status === 'incomplete') {
    const reason = isObject(details) ? details.reason : null
    return INCOMPLETE.get(reason) ?? 'stop'
  }
  return hasCalls ? 'tool_calls' : 'stop'
}
