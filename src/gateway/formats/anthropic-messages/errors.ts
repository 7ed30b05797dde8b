// Source: Anthropic's API reference, "Errors".
import { describeError, textError, type UpstreamErrorBody, UpstreamFailure } from '../chat/failure.ts'
import { asObject, isObject, parseJson } from '../json/json.ts'

/** The HTTP status of each error type. An error in a stream has a type only. */
const STATUSES: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({
    invalid_request_error: 400,
    authentication_error: 401,
    billing_error: 402,
    permission_error: 403,
    not_found_error: 404,
    request_too_large: 413,
    rate_limit_error: 429,
    api_error: 500,
    timeout_error: 504,
    overloaded_error: 529,
  }),
)

function readError(value: unknown): UpstreamErrorBody | null {
  const outer = asObject(value)
  const error = isObject(outer.error) ? outer.error : null
  if (!error) return null
  const details = asObject(error.details)
  return {
    message: typeof error.message === 'string' ? error.message : '',
    code: typeof details.error_code === 'string' ? details.error_code : null,
    param: null,
    type: typeof error.type === 'string' ? error.type : null,
  }
}

/** The text itself is the message when it does not have Anthropic's shape (a proxy's error page). */
export function readAnthropicError(text: string): UpstreamErrorBody {
  return readError(parseJson(text)) ?? textError(text)
}

/** Reads an error object that was sent with status 200. */
export function readFailure(value: unknown): UpstreamFailure {
  const error = readError(value)
  return new UpstreamFailure({
    kind: 'status',
    status: STATUSES.get(error?.type ?? '') ?? null,
    code: error?.code ?? error?.type ?? null,
    message: describeError(error?.message ?? ''),
  })
}
