// Errors inside answers with status 200: `error` of a failed response, and `error` events. They have codes but no status.
// Sources: OpenAI's API reference (`ResponseError`), its guide "Error codes".
import { describeError, errorStatus, malformedAnswer, UpstreamFailure } from '../chat/failure.ts'
import { isObject, type JsonObject } from '../json/json.ts'
import { readErrorText } from '../openai-chat/errors.ts'

const STATUSES: ReadonlyMap<string, number> = new Map([
  ['context_length_exceeded', 400],
  ['insufficient_quota', 429],
  ['invalid_api_key', 401],
  ['invalid_prompt', 400],
  ['model_not_found', 404],
  ['rate_limit_exceeded', 429],
  ['server_error', 500],
  ['server_is_overloaded', 503],
  ['slow_down', 503],
  ['vector_store_timeout', 504],
  // Types, which count if the code is not known.
  ['authentication_error', 401],
  ['invalid_request_error', 400],
  ['permission_error', 403],
  ['rate_limit_error', 429],
])

/** A code with one of these words means that the request is wrong: `invalid_image_url`, `bio_policy`, `image_too_large`. */
const OF_REQUEST = /image|policy|base64/

function findStatus(code: string | null, type: string | null): number | null {
  const knownStatus = STATUSES.get(code ?? '') ?? STATUSES.get(type ?? '')
  if (knownStatus !== undefined) return knownStatus
  return OF_REQUEST.test(code ?? '') ? 400 : null
}

/** OpenAI says it in the message: "Please try again in 1.3s." */
function readRetryAfter(message: string): number | null {
  const [, amount, unit] = /try again in (\d+(?:\.\d+)?) ?(ms|s)\b/i.exec(message) ?? []
  return amount === undefined ? null : Math.ceil(Number(amount) * (unit === 'ms' ? 1 : 1000))
}

/** Reads `{ error: {…} }` of a response, and an `error` event, whose fields may be in `error` or next to `type`. */
export function readFailure(value: JsonObject): UpstreamFailure {
  const { type: _, ...event } = value
  const { message, code, param, type } = readErrorText(JSON.stringify({ error: value.error ?? event }))
  const stated = errorStatus(
    value.status,
    value.status_code,
    isObject(value.error) ? value.error.status : null,
  )
  return new UpstreamFailure({
    kind: 'status',
    status: stated ?? findStatus(code, type),
    code: code ?? type,
    param,
    retryAfterMs: readRetryAfter(message),
    message: describeError(message),
  })
}

// How a response ended. Source: OpenAI's API reference (`status`, `incomplete_details`).

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
