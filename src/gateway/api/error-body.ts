import type { ClientCodec } from '../formats/client-codec.ts'
import { clientCodecs } from '../formats/client-codecs.ts'
import type { GatewayError } from '../platform/errors.ts'
import { type ErrorFormat, errorFormatOf } from './endpoints.ts'

/** The names of google.rpc.Code for the statuses of Gemini paths. */
const GOOGLE_CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
}

const envelopes: Readonly<Record<ErrorFormat, Pick<ClientCodec, 'errorBody'>>> = {
  ...clientCodecs,
  'anthropic-messages': {
    errorBody: ({ type, message }, _, requestId) => ({
      type: 'error',
      error: { type, message },
      request_id: requestId,
    }),
  },
  'gemini-generate': {
    errorBody: ({ message }, status) => ({
      error: { code: status, message, status: GOOGLE_CODES[status] ?? 'UNKNOWN' },
    }),
  },
}

/** The body of an error response, in the format that clients of this URL expect. */
export function formatErrorBody(
  { status, body }: GatewayError,
  requestId: string,
  method: string,
  url: string,
): string {
  return JSON.stringify(envelopes[errorFormatOf(method, url)].errorBody(body, status, requestId))
}
