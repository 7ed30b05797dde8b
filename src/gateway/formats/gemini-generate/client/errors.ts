// Sources: Google's API error model (`google.rpc.Status`, `google.rpc.Code`, error details) and the Gemini API's error codes.
import type { ErrorBody } from '../../../../shared/errors.ts'
import type { JsonObject } from '../../json/json.ts'

const CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  // Google has no code for payment. With this one its clients do not try again.
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  431: 'INVALID_ARGUMENT',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

/** The JSON of an error. The details name our own type and code, and the field. */
export function geminiErrorBody({ message, type, code, param }: ErrorBody, status: number): JsonObject {
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: (code ?? type).toUpperCase(),
    domain: 'tollgate',
  }
  const violation = param !== undefined && {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field: param, description: message }],
  }
  return {
    error: {
      code: status,
      message,
      status: CODES[status] ?? 'UNKNOWN',
      details: violation ? [info, violation] : [info],
    },
  }
}
