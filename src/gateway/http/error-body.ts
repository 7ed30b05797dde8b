import { clientCodecs } from '../formats/codecs.ts'
import type { GatewayError } from '../platform/errors.ts'
import { errorFormatOf } from './endpoints.ts'

/** The body of an error response, in the format that clients of this URL expect. */
export function formatErrorBody(
  { status, body }: GatewayError,
  requestId: string,
  method: string,
  url: string,
): string {
  return JSON.stringify(clientCodecs[errorFormatOf(method, url)].errorBody(body, status, requestId))
}
