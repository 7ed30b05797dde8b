// The errors of a request that a spend limit refuses, or whose stream it ends.
import type { ErrorBody } from '../../shared/errors.ts'
import { formatUsd } from '../../shared/format-usd.ts'
import { formatReset, nameLimit } from '../../shared/limit-name.ts'
import { type NanoUsd, nanoToUsd, nanoUsd } from '../../shared/money.ts'
import { GatewayError, quotaExceeded } from '../platform/errors.ts'
import type { LimitSource, Meter } from './meter.ts'

/** Seconds until a retry makes sense: running requests have had time to end. */
const RETRY_AFTER_S = 5
/** The same where what is left is held. */
const HELD_RETRY_AFTER_S = 3_600

export interface LimitReached {
  /** Of a key, of the account, or of what the ledger can hold. */
  code: 'spend_limit_reached' | 'account_limit_reached' | 'ledger_full'
  message: string
  /** Which limit of the list of the key or of the account: `spendLimits[0]`. Absent for the cap and the monthly limit. */
  param?: string
}

export function limitReached({ source, spentNano }: Meter): LimitReached {
  switch (source.kind) {
    case 'cap': {
      const { name, spendLimitUsd } = source.key
      const message = `The key "${name}" has spent ${usd(spentNano)} of ${formatUsd(spendLimitUsd ?? 0)}. Raise its cap in Tollgate to continue.`
      return { ...identify(source), message }
    }
    case 'month': {
      const { monthSpendUsd, monthlyLimitUsd, monthResetsAt } = source.account.view()
      const message = `This month's limit is reached: ${formatUsd(monthSpendUsd)} of ${formatUsd(monthlyLimitUsd ?? 0)} spent. Raise it in Tollgate, or wait until ${monthResetsAt}.`
      return { ...identify(source), message }
    }
    case 'listed': {
      const message = `The ${nameOf(source)} is used up: ${usd(spentNano)} spent. ${remedyOf(source)}`
      return { ...identify(source), message }
    }
  }
}

/** The ledger holds as much spend as its sums can count exactly. */
export function ledgerFull(spentNano: NanoUsd): LimitReached {
  const message = `The ledger has ${usd(spentNano)} of spend, and cannot count much more exactly. Nothing is sent. Start Tollgate with a new data folder to continue.`
  return { code: 'ledger_full', message }
}

export function limitReachedError({ code, message, param }: LimitReached): GatewayError {
  return quotaExceeded(code, message, param)
}

/** Ends a stream that has used up a limit. */
export class StreamCutError extends Error {
  override name = 'StreamCutError'
  readonly reason: LimitReached
  constructor(reason: LimitReached) {
    super(reason.message)
    this.reason = reason
  }
}

/** The final error of a stream that a limit ends. */
export function streamCut({ source }: Meter): LimitReached {
  const cut = 'The answer was stopped here, because'
  switch (source.kind) {
    case 'cap': {
      const { name, spendLimitUsd } = source.key
      const message = `${cut} the cap of the key "${name}" (${formatUsd(spendLimitUsd ?? 0)}) is used up by this request and others. Raise its cap in Tollgate to continue.`
      return { ...identify(source), message }
    }
    case 'month': {
      const { monthlyLimitUsd, monthResetsAt } = source.account.view()
      const message = `${cut} this month's limit (${formatUsd(monthlyLimitUsd ?? 0)}) is used up. Raise it in Tollgate, or wait until ${monthResetsAt}.`
      return { ...identify(source), message }
    }
    case 'listed': {
      const message = `${cut} the ${nameOf(source)} is used up by this request and others. ${remedyOf(source)}`
      return { ...identify(source), message }
    }
  }
}

export function cutBody({ code, message, param }: LimitReached): ErrorBody {
  return { type: 'insufficient_quota', code, message, ...(param === undefined ? {} : { param }) }
}

/** Only running requests are in the way: that passes, so the client may retry. */
export function stillReserved({ source, reservedNano }: Meter, waitedMs: number): GatewayError {
  const [whose, what] = nameLeft(source)
  const { param } = identify(source)
  return allReserved(whose, { reservedNano, waitedMs }, `, or raise ${what} in Tollgate`, param)
}

/** As `stillReserved`, where the ledger could not count what all running requests may cost. */
export function ledgerReserved(reservedNano: NanoUsd, waitedMs: number): GatewayError {
  return allReserved('the ledger can hold', { reservedNano, waitedMs }, '')
}

function allReserved(
  what: string | undefined,
  { reservedNano, waitedMs }: { reservedNano: NanoUsd; waitedMs: number },
  remedy: string,
  param?: string,
): GatewayError {
  return new GatewayError({
    status: 429,
    type: 'rate_limit_exceeded',
    code: 'spend_reserved',
    param,
    message: `All that ${what} is reserved by running requests (${usd(reservedNano)}), and they did not end within ${waitedMs / 1000} s. Try again when they are done${remedy}.`,
    headers: { 'retry-after': String(RETRY_AFTER_S), 'x-should-retry': 'true' },
  })
}

/** A request whose worst case is more than a strict limit leaves. */
export class DoesNotFitError extends GatewayError {
  /** What the request could reserve if no other were running; less than it needs. */
  readonly roomNano: number

  constructor({ source, limitNano, spentNano }: Meter, neededNano: NanoUsd, heldNano: NanoUsd) {
    const { code, param } = identify(source)
    const roomNano = Math.max(0, limitNano - spentNano - heldNano)
    const [whose, what] = nameLimitOf(source)
    const held = heldNano > 0 ? `, as ${usd(heldNano)} are held for requests without an answer` : ''
    super({
      status: 402,
      type: 'insufficient_quota',
      code,
      param,
      message: `This request could cost up to ${usd(neededNano)}, and ${whose} leaves ${usd(nanoUsd(roomNano))}${held}. The limit is strict, so its whole worst case has to fit: send a shorter prompt or a smaller output limit, or raise ${what} in Tollgate.`,
      headers: { 'x-should-retry': 'false' },
    })
    this.roomNano = roomNano
  }
}

function nameLimitOf(source: LimitSource): readonly [whose: string, what: string] {
  switch (source.kind) {
    case 'cap':
      return [`the cap of the key "${ownerOf(source)}"`, 'the cap']
    case 'month':
      return ["this month's limit", 'it']
    case 'listed':
      return [`the ${nameOf(source)}`, 'it']
  }
}

/** What is left is held for charges that are not settled. A retry soon does not help. */
export function stillHeld({ source, reservedNano }: Meter): GatewayError {
  const { param } = identify(source)
  const [whose, what] = nameLeft(source)
  return new GatewayError({
    status: 429,
    type: 'rate_limit_exceeded',
    code: 'spend_held',
    param,
    message: `All that ${whose} is held (${usd(reservedNano)}) for requests without an answer, which their provider may still bill. Settle or release them in Tollgate under Requests, or raise ${what}. They are released after an hour, or after a day under a strict limit.`,
    headers: { 'retry-after': String(HELD_RETRY_AFTER_S), 'x-should-retry': 'false' },
  })
}

/** Whose money a limit leaves, and what to raise to have more. */
function nameLeft(source: LimitSource): readonly [whose: string, what: string] {
  switch (source.kind) {
    case 'cap':
      return [`the key "${ownerOf(source)}" may still spend`, 'the cap']
    case 'month':
      return ['may still be spent this month', "the month's limit"]
    case 'listed':
      return [`the ${nameOf(source)} leaves`, 'it']
  }
}

function identify(source: LimitSource): Pick<LimitReached, 'code' | 'param'> {
  if (source.kind === 'month') return { code: 'account_limit_reached' }
  if (source.kind === 'cap') return { code: 'spend_limit_reached' }
  const code = source.key ? 'spend_limit_reached' : 'account_limit_reached'
  return { code, param: `spendLimits[${source.index}]` }
}

function ownerOf(source: LimitSource): string {
  return source.kind === 'month' ? '' : (source.key?.name ?? '')
}

function nameOf(source: LimitSource): string {
  if (source.kind !== 'listed') return ''
  const { key, limit } = source
  return key
    ? `${nameLimit(limit, limit.usd, 'cap')} of the key "${key.name}"`
    : `${nameLimit(limit, limit.usd, 'limit')} of all keys`
}

function remedyOf(source: LimitSource): string {
  if (source.kind !== 'listed') return ''
  const { limit, resetsAt, zone } = source
  if (resetsAt !== null)
    return `It resets on ${formatReset(resetsAt, zone)}. Raise it in Tollgate to continue now.`
  if (limit.per === 'session') return 'Start a new session, or raise it in Tollgate to continue.'
  if (limit.per === 'lifetime') return 'Raise it in Tollgate to continue.'
  return 'It allows more as what was spent becomes older. Raise it in Tollgate to continue now.'
}

function usd(nano: NanoUsd): string {
  return formatUsd(nanoToUsd(nano))
}
