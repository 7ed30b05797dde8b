// Owns the bodies of error answers, in the format that a path's clients read. Status and message are the same in all.
import type { GatewayError } from '../platform/errors.ts'
import { type ErrorFormat, errorFormatOf } from './endpoints.ts'

/** Names of google.rpc.Code for the statuses that Gemini's paths can answer. */
const GOOGLE_CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
}

/** The body of the answer to a request with this method and URL. */
export function errorText(error: GatewayError, requestId: string, method: string, url: string): string {
  return JSON.stringify(envelope(error, requestId, errorFormatOf(method, url)))
}

function envelope({ status, body }: GatewayError, requestId: string, format: ErrorFormat): object {
  switch (format) {
    case 'openai':
      return { error: body }
    case 'anthropic':
      return {
        type: 'error',
        error: { type: body.type, message: body.message },
        request_id: requestId,
      }
    case 'gemini':
      return { error: { code: status, message: body.message, status: GOOGLE_CODES[status] ?? 'UNKNOWN' } }
  }
}
