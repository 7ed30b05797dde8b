import { NOT_SUPPORTED, UpstreamFailure } from './failure.ts'

/** For a request that the target's format cannot express. The client receives 400 with `param`; nothing is sent upstream. */
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
