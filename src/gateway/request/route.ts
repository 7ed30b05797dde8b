import type { EncodedRequest } from '../formats/encoded-request.ts'
import type { PlainAnswer } from '../formats/events.ts'
import type { ReadRaw } from '../formats/pass-through/pass-through.ts'
import type { Target } from '../formats/target.ts'
import type { UpstreamFailure } from '../formats/upstream-failure.ts'

/** Where a request can be sent. */
export interface Route {
  target: Target
  /** The request as the target is sent it; null when it was not encoded before. */
  encoded: EncodedRequest | null
  /** Encodes the request with its output limit under the other name, for a target of which the name is not known. */
  renameOutputLimit?: () => EncodedRequest | null
  /** Whether the answer goes as it came to a client of the target's format. */
  native: boolean
  /** Reads what the answer to a request that is passed through has used. */
  readRaw?: ReadRaw | undefined
  /** Why the request cannot be sent to the target; null if it can. */
  refusal: UpstreamFailure | null
}

/** An attempt that failed. Its provider may have worked, and may bill it, all the same. */
export interface FailedAttempt<R extends Route> {
  route: R
  failure: UpstreamFailure
  /** Choices that this route had answered when its last attempt failed; each was billed. */
  answered: readonly PlainAnswer[]
}
