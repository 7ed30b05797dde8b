import type { FormatCodec } from '../formats/chat/codec-types.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import type { Clock } from '../platform/clock.ts'
import { type Exchange, readErrorText } from './exchange.ts'
import { readRetryAfter } from './retry-after.ts'
import type { Watchdog } from './watchdog.ts'

const MAX_ERROR_BYTES = 65_536

/** The failure for a response with a status outside 200-299. Not redacted yet. */
export async function readStatusFailure(
  response: Exchange,
  codec: FormatCodec,
  watchdog: Watchdog,
  clock: Clock,
): Promise<UpstreamFailure> {
  const { status, headers, mediaType } = response
  if (status < 400) {
    response.destroy()
    return new UpstreamFailure({
      kind: 'status',
      status,
      message: `The provider answered with a redirect (${status}), which is not followed.`,
    })
  }
  const text = await readErrorText(response, MAX_ERROR_BYTES, watchdog)
  const error = codec.errorBody(mediaType === 'text/html' ? '' : text)
  return new UpstreamFailure({
    kind: 'status',
    reason: error.message ? null : 'unexplained',
    status,
    code: error.code ?? (status === 429 && error.type === 'insufficient_quota' ? error.type : null),
    param: error.param,
    message: error.message || `The provider answered with status ${status}.`,
    retryAfterMs: readRetryAfter(headers, clock.now()),
  })
}
