import type { Admitted } from './call.ts'
import type { NotAnswered } from './dispatch.ts'
import type { FailedCharge } from './failed-charge.ts'
import type { Candidate } from './prepare.ts'
import { reportError, statusOf } from './reported-error.ts'
import { type Ending, JSON_TYPE } from './settle.ts'

/**
 * The end of a request that no candidate answered. The error and the charge need not come from the same attempt: the
 * last one explains why there is no answer, the most expensive one bounds the charge.
 */
export function endFailed(
  admitted: Admitted,
  { failure, failed, attempts }: NotAnswered<Candidate>,
  { charge, heldNano, candidate }: FailedCharge,
): Ending {
  const { call, inFlight, rate } = admitted
  const offer = (candidate ?? failed.at(-1)?.route)?.offer ?? null
  const { status, error, retryAfterSeconds, headers: own } = reportError(failure, inFlight.signal)
  const body = JSON.stringify(call.codec.errorBody(error, status, call.requestId))
  const retryAfter: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  const headers = { ...JSON_TYPE, ...rate.headers, ...retryAfter, ...own }
  return {
    outcome: {
      charge,
      heldNano,
      model: offer?.id ?? null,
      provider: offer?.providerId ?? null,
      attempts,
      firstByteMs: null,
      status: statusOf(failure, inFlight.signal),
      httpStatus: status,
      error,
      reached: failed.some(({ failure: { sent } }) => sent),
      response: { status, headers, body },
    },
    observed: null,
    send: () => {
      if (!call.stream.disconnected) call.stream.send(status, headers, body)
    },
  }
}
