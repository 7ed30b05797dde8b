import type { Clock } from '../../platform/clock.ts'
import type { GatewayError } from '../../platform/errors.ts'
import { callerText } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { RefusedRequest } from '../../store/store.ts'

const LOG_INTERVAL_MS = 60_000
const MAX_NAME_LENGTH = 200
const MAX_MESSAGE_LENGTH = 500

/** Refused, not rejected, so these have a row in the ledger: a cap or limit is reached, or the key was revoked. */
const REFUSED_STATUSES = new Set([401, 402, 429])
/** Refused as well: the key, or everything, is paused, or a rule says so. */
const REFUSED_CODES: ReadonlySet<string | undefined> = new Set(['key_paused', 'paused', 'denied_by_rule'])

/** Whether the error rejects a call as invalid, so that it never becomes a request to a model. */
export function isRejection({ status, body: { code } }: Pick<GatewayError, 'status' | 'body'>): boolean {
  return status >= 400 && status <= 499 && !REFUSED_STATUSES.has(status) && !REFUSED_CODES.has(code)
}

export type RejectedCall = Pick<
  RefusedRequest,
  'id' | 'keyId' | 'endpoint' | 'requestedModel' | 'stream' | 'httpStatus' | 'error' | 'client'
>

/** Records the rejected calls of valid keys, of which the store keeps the newest. */
export class Rejections {
  readonly #clock: Clock
  readonly #log: Log
  readonly #record: (request: RefusedRequest) => boolean
  readonly #loggedAt = new Map<string, number>()

  /** `record` returns false for a call that is counted in the row of another. */
  constructor(clock: Clock, log: Log, record: (request: RefusedRequest) => boolean) {
    this.#clock = clock
    this.#log = log
    this.#record = record
  }

  add(call: RejectedCall): void {
    const shown = truncateTexts(call)
    const createdAt = this.#clock.now()
    if (this.#record({ ...shown, status: 'rejected', createdAt, totalMs: null }))
      this.#logOncePerMinute(shown)
  }

  /** One line a minute for each key and reason: a client that keeps retrying must not fill the log. */
  #logOncePerMinute({ id, keyId, endpoint, httpStatus, error, client }: RejectedCall): void {
    const kind = `${keyId} ${httpStatus} ${error.code ?? error.type}`
    const now = this.#clock.monotonic()
    const last = this.#loggedAt.get(kind)
    if (last !== undefined && now - last < LOG_INTERVAL_MS) return
    this.#loggedAt.set(kind, now)
    const who = client === null ? keyId : `${keyId} (${client})`
    this.#log.warn(`Rejected ${endpoint} from ${who} with ${httpStatus}: ${error.message}`, { requestId: id })
  }
}

/** A client's text may be as long as a body, and is quoted in error messages. */
function truncateTexts(call: RejectedCall): RejectedCall {
  const { requestedModel, client, error } = call
  return {
    ...call,
    requestedModel: callerText(requestedModel, MAX_NAME_LENGTH),
    client: client === null ? null : callerText(client, MAX_NAME_LENGTH),
    error: {
      ...error,
      message: callerText(error.message, MAX_MESSAGE_LENGTH),
      ...(error.param === undefined ? {} : { param: callerText(error.param, MAX_NAME_LENGTH) }),
    },
  }
}
