// Error bodies in OpenAI's shape and its variants.
import {
  describeError,
  errorStatus,
  textError,
  type UpstreamErrorBody,
  UpstreamFailure,
} from '../chat/failure.ts'
import { asObject, isObject, parseJson } from '../json/json.ts'

/** The error in a response body; `text` itself is the message when it is not JSON. */
export function readErrorText(text: string): UpstreamErrorBody {
  const parsed = parseJson(text)
  return parsed === undefined ? textError(text) : readErrorObject(parsed)
}

const asCode = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null

/**
 * Reads `{ error: { message, … } }`, `{ error: "…" }`, and other vendors' variants: `{ message }` or `{ detail }` without
 * `error` (Mistral, FastAPI servers), or wrapped in an array (Gemini's compatible endpoint).
 */
function readErrorObject(value: unknown): UpstreamErrorBody {
  const outer = asObject(Array.isArray(value) ? value[0] : value)
  const error = isObject(outer.error) ? outer.error : outer
  const message = typeof outer.error === 'string' ? outer.error : (error.message ?? error.msg ?? error.detail)
  const details = asObject(error.details)
  return {
    message: typeof message === 'string' ? message : message === undefined ? '' : JSON.stringify(message),
    code: asCode(details.error_code) ?? asCode(error.code),
    param: typeof error.param === 'string' ? error.param : null,
    type: typeof error.type === 'string' ? error.type : null,
  }
}

/**
 * Reads an error object that was sent with status 200. OpenRouter and others put an HTTP status into `code` or `status`;
 * otherwise the status is unknown.
 */
export function readFailure(value: unknown): UpstreamFailure {
  const body = readErrorObject(value)
  const outer = asObject(Array.isArray(value) ? value[0] : value)
  const error = asObject(outer.error)
  return new UpstreamFailure({
    kind: 'status',
    status: errorStatus(error.status, error.code, outer.status),
    code: body.code ?? body.type,
    param: body.param,
    message: describeError(body.message),
  })
}
