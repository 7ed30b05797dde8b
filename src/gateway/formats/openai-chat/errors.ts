// Owns the reading of what goes wrong in the chat-completions format, and of its many near misses.
// Knows nothing of what follows from it.

import type { UpstreamErrorBody } from '../codec.ts'
import { isObject, type JsonObject, parseJson } from '../json.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The words of an error response; `text` itself when it is not JSON of a known shape. */
export function readErrorText(text: string): UpstreamErrorBody {
  const parsed = parseJson(text)
  return parsed === undefined
    ? { message: text.trim(), code: null, param: null, type: null }
    : readErrorObject(parsed)
}

const asCode = (value: unknown): string | null =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null

/**
 * Reads `{ error: { message, … } }`, `{ error: "…" }`, and what others send instead: `{ message }` or `{ detail }`
 * without `error` (Mistral, FastAPI servers), the same wrapped in an array (Gemini's compatible endpoint).
 */
function readErrorObject(value: unknown): UpstreamErrorBody {
  const outer = asObject(Array.isArray(value) ? value[0] : value)
  const error = isObject(outer.error) ? outer.error : outer
  const said = typeof outer.error === 'string' ? outer.error : (error.message ?? error.msg ?? error.detail)
  const details = asObject(error.details)
  return {
    message: typeof said === 'string' ? said : said === undefined ? '' : JSON.stringify(said),
    code: asCode(details.error_code) ?? asCode(error.code),
    param: typeof error.param === 'string' ? error.param : null,
    type: typeof error.type === 'string' ? error.type : null,
  }
}

/**
 * The failure that an error object inside a 200 stands for. OpenRouter and others put an HTTP status into `code`
 * or `status`; without one the status is unknown.
 */
export function readFailure(value: unknown): UpstreamFailure {
  const said = readErrorObject(value)
  const outer = asObject(Array.isArray(value) ? value[0] : value)
  const error = asObject(outer.error)
  const status = [error.status, error.code, outer.status]
    .map(Number)
    .find((n) => Number.isInteger(n) && n >= 400 && n <= 599)
  return new UpstreamFailure({
    kind: 'status',
    status: status ?? null,
    code: said.code ?? said.type,
    param: said.param,
    message: said.message || 'The provider reported an error without a message.',
  })
}
