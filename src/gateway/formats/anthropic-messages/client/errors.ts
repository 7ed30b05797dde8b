// Source: Anthropic's API reference, "Errors".
import type { ErrorBody } from '../../../../shared/errors.ts'
import { NOT_SUPPORTED } from '../../chat/failure.ts'
import type { JsonObject } from '../../json/json.ts'

/** The member of a request by which a conversation is continued that the provider keeps. */
export const THREAD = 'thread'

const TYPES: ReadonlyMap<number, string> = new Map(
  Object.entries<string>({
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    404: 'not_found_error',
    408: 'timeout_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    503: 'overloaded_error',
    504: 'timeout_error',
  }).map(([status, type]) => [Number(status), type]),
)

function errorType(status: number): string {
  return TYPES.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
}

/** On this code, Anthropic's SDK sends the whole conversation again, without `thread`. */
const THREAD_UNSUPPORTED = 'thread_unsupported_request'

function readDetails({ code, param }: ErrorBody): JsonObject {
  const errorCode = code === NOT_SUPPORTED && param === THREAD ? THREAD_UNSUPPORTED : code
  return { ...(errorCode !== undefined && { error_code: errorCode }), ...(param !== undefined && { param }) }
}

export function errorBody(error: ErrorBody, status: number, requestId: string): JsonObject {
  const details = readDetails(error)
  return {
    type: 'error',
    error: {
      type: errorType(status),
      message: error.message,
      ...(Object.keys(details).length > 0 && { details }),
    },
    request_id: requestId,
  }
}
