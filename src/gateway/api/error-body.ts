import type { ClientCodec } from '../formats/client-codec.ts'
import { clientCodecs } from '../formats/client-codecs.ts'
import type { GatewayError } from '../platform/errors.ts'
import { type ErrorFormat, errorFormatOf } from './endpoints.ts'

const envelopes: Readonly<Record<ErrorFormat, Pick<ClientCodec, 'errorBody'>>> = {
  ...clientCodecs,
  'anthropic-messages': {
    errorBody: ({ type, message }, _, requestId) => ({
      type: 'error',
      error: { type, message },
      request_id: requestId,
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
