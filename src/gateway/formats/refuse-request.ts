// Owns the refusal of a request that a format cannot express, before anything is sent. Knows no format.
import { NOT_SUPPORTED, UpstreamFailure } from './upstream-failure.ts'

/** A failure that the client is told as 400, naming the field at fault. */
export function refuseRequest(message: string, param: string): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'status',
    status: 400,
    sent: false,
    code: NOT_SUPPORTED,
    message,
    param,
  })
}
