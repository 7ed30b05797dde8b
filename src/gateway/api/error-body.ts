import type { GatewayError } from '../platform/errors.ts'
import { type ErrorFormat, errorFormatOf } from './endpoints.ts'

/** The names of google.rpc.Code for the statuses of Gemini paths. */
const GOOGLE_CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
}

/** The body of an error response, in the format that clients of this URL expect. */
export function formatErrorBody(error: GatewayError, requestId: string, method: string, url: string): string {
  return JSON.stringify(createEnvelope(error, requestId, errorFormatOf(method, url)))
}

function createEnvelope({ status, body }: GatewayError, requestId: string, format: ErrorFormat): object {
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
