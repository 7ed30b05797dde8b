// The errors of a request that a spend limit refuses, or whose stream it ends.
import { formatReset, nameLimit } from '../../shared/limits/limits.ts'
import { formatUsd } from '../../shared/money/format-usd.ts'
import { type NanoUsd, nanoToUsd, nanoUsd } from '../../shared/money/money.ts'
import { GatewayError } from '../platform/errors.ts'
import type { Limit } from './limit.ts'

/** Seconds until a retry makes sense: running requests have had time to end. */
const RETRY_AFTER_S = 5
/** The delay where the rest is held. */
const HELD_RETRY_AFTER_S = 3_600

export interface LimitReached {
  /** The owner of the limit: a key, the account, or the capacity of the ledger. */
  code: 'spend_limit_reached' | 'account_limit_reached' | 'ledger_full'
  message: string
  /** Which limit of the list of the key or of the account: `spendLimits[0]`. Absent for the capacity of the ledger. */
  param?: string
  /** Null for the capacity of the ledger. */
  limit: Limit | null
}

export function limitReached(limit: Limit): LimitReached {
  const spent = `The ${nameOwned(limit)} is used up: ${usd(limit.spentNano)} spent.`
  return { ...identify(limit), limit, message: `${spent} ${describeRemedy(limit)}` }
}

/** The ledger holds as much spend as its sums can count exactly. */
export function ledgerFull(spentNano: NanoUsd): LimitReached {
  const message = `The ledger has ${usd(spentNano)} of spend, and cannot count much more exactly. Nothing is sent. Start Tollgate with a new data folder to continue.`
  return { code: 'ledger_full', message, limit: null }
}

/** Clients must not retry until the user raises the limit. */
export class LimitReachedError extends GatewayError {
  readonly limit: Limit | null
  constructor({ limit, ...reached }: LimitReached) {
    super({ status: 402, ...reached, headers: { 'x-should-retry': 'false' } })
    this.limit = limit
  }
}

/** The final error of a stream that a limit ends. */
export function streamCut(limit: Limit): LimitReached {
  const cut = `The answer was stopped here, because the ${nameOwned(limit)} is used up by this request and others.`
  return { ...identify(limit), limit, message: `${cut} ${describeRemedy(limit)}` }
}

/** Only running requests are in the way: that passes, so the client may retry. */
export function stillReserved(limit: Limit, waitedMs: number): GatewayError {
  const { reservedNano } = limit
  const what = `the ${nameOwned(limit)} leaves`
  return allReserved(what, { reservedNano, waitedMs }, ', or raise it in Tollgate', identify(limit).param)
}

/** Like `stillReserved`, where the ledger could not count the possible cost of all running requests. */
export function ledgerReserved(reservedNano: NanoUsd, waitedMs: number): GatewayError {
  return allReserved('the ledger can hold', { reservedNano, waitedMs }, '')
}

function allReserved(
  what: string,
  { reservedNano, waitedMs }: { reservedNano: NanoUsd; waitedMs: number },
  remedy: string,
  param?: string,
): GatewayError {
  return new GatewayError({
    status: 429,
    code: 'spend_reserved',
    param,
    message: `All that ${what} is reserved by running requests (${usd(reservedNano)}), and they did not end within ${waitedMs / 1000} s. Try again when they are done${remedy}.`,
    headers: { 'retry-after': String(RETRY_AFTER_S), 'x-should-retry': 'true' },
  })
}

/** A request whose worst case is more than a strict limit leaves. */
export class DoesNotFitError extends GatewayError {
  /** The amount that the request could reserve if no other were running; less than it needs. */
  readonly roomNano: number
  readonly limit: Limit

  constructor(limit: Limit, neededNano: NanoUsd, heldNano: NanoUsd) {
    const roomNano = Math.max(0, limit.limitNano - limit.spentNano - heldNano)
    const held =
      heldNano > 0 ? `, as ${usd(heldNano)} are held for requests without an answer and for batches` : ''
    super({
      status: 402,
      ...identify(limit),
      message: `This request could cost up to ${usd(neededNano)}, and the ${nameOwned(limit)} leaves ${usd(nanoUsd(roomNano))}${held}. The limit is strict, so its whole worst case has to fit: send a shorter prompt or a smaller output limit, or raise the limit in Tollgate.`,
      headers: { 'x-should-retry': 'false' },
    })
    this.roomNano = roomNano
    this.limit = limit
  }
}

/** The rest is held for charges that are not settled. A retry soon does not help. */
export function stillHeld(limit: Limit): GatewayError {
  return new GatewayError({
    status: 429,
    code: 'spend_held',
    param: identify(limit).param,
    message: `All that the ${nameOwned(limit)} leaves is held (${usd(limit.reservedNano)}) for batches that are not done, or for requests without an answer, which their provider may still bill. Settle or release such requests in Tollgate under Requests, where the cost filter “Held” lists them (GET /v1/requests?held=true), or raise the limit. They are released after an hour, or after a day under a strict limit.`,
    headers: { 'retry-after': String(HELD_RETRY_AFTER_S), 'x-should-retry': 'false' },
  })
}

function identify({ key, index }: Limit) {
  return {
    code: key ? ('spend_limit_reached' as const) : ('account_limit_reached' as const),
    param: `spendLimits[${index}]`,
  }
}

/** "daily cap of $5.00 of the key "docs"", "monthly limit of $50.00 of all keys". */
export function nameOwned({ key, terms }: Pick<Limit, 'key' | 'terms'>): string {
  return key
    ? `${nameLimit(terms, terms.usd, 'cap')} of the key "${key.name}"`
    : `${nameLimit(terms, terms.usd, 'limit')} of all keys`
}

function describeRemedy({ terms, period: { resetsAt, zone } }: Limit): string {
  if (terms.action === 'ask') return 'Its owner was asked in Tollgate, and has not allowed more.'
  if (resetsAt !== null)
    return `It resets on ${formatReset(resetsAt, zone)}. Raise it in Tollgate to continue now.`
  if (terms.per === 'session') return 'Start a new session, or raise it in Tollgate to continue.'
  if (terms.per === 'subagent') return 'Go on in the main agent, or raise it in Tollgate to continue.'
  if (terms.per === 'lifetime') return 'Raise it in Tollgate to continue.'
  return 'It allows more as what was spent becomes older. Raise it in Tollgate to continue now.'
}

function usd(nano: NanoUsd): string {
  return formatUsd(nanoToUsd(nano))
}
