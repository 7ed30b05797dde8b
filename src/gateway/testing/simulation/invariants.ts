// The invariants of a simulated world, whatever its seed.
import { computeLeastLeft } from '../../spend/limit.ts'
import type { Reservation } from '../../spend/reservation.ts'
import type { NewRequest, StoredRequest } from '../../store/store.ts'
import type { Bill } from './bill.ts'
import { BrokenInvariant, type Invariant } from './broken.ts'
import type { SeenResponse } from './client-exchange.ts'
import { computeExceptions } from './exceptions.ts'
import type { RequestAction } from './plan.ts'
import { mostNano } from './vendor-meter.ts'

/** The world's knowledge of one request of a client. */
export interface TrackedRequest {
  readonly action: RequestAction
  readonly seen: SeenResponse
  /** Set when the gateway records it. */
  row: NewRequest | null
  reservation: Reservation | null
  /** Whether the reservation is still open. */
  isOpen: boolean
  /** Whether the row is durable, or will never be. */
  isOpened: boolean
  /** The most and the least that was reserved for it while it ran. */
  peakNano: number
  leastNano: number
  charge: Pick<StoredRequest, 'costNano' | 'costStatus'> | null
  /** Whether the charge is written, or the gateway has given up to wait for that. */
  isSettled: boolean
  readonly bills: Bill[]
  /** The process that served it has crashed. */
  isLost: boolean
  /** Whether a limit stops its key. */
  isLimited: boolean
  isStrict: boolean
  /** The amount that stays reserved after its end. */
  heldNano: number
  /** The end of the hold by the wall clock; null while nothing is held. */
  heldUntil: number | null
  /** Whether the hold has ended, by the wall clock or because the owner has released it. */
  isHoldOver: boolean
  /** It was admitted with less than it asks for, which was all that was left under a limit. */
  cameToLimit: boolean
  /** The smallest of its limits, in nano-dollars. */
  smallestNano: number
  /** The forecast's factor for the model when it was admitted. */
  factor: number
  /** Whether the forecast knew enough answers of its key and model when it was admitted. */
  isForecast: boolean
}

/** A request of which nothing is known yet. */
export function track(action: RequestAction, seen: SeenResponse, isStrict: boolean): TrackedRequest {
  return {
    action,
    seen,
    row: null,
    reservation: null,
    isOpen: false,
    isOpened: false,
    peakNano: 0,
    leastNano: 0,
    charge: null,
    isSettled: false,
    bills: [],
    isLost: false,
    isLimited: false,
    isStrict,
    heldNano: 0,
    heldUntil: null,
    isHoldOver: false,
    cameToLimit: false,
    smallestNano: Infinity,
    factor: 1,
    isForecast: false,
  }
}

const ROUNDING_NANO = 2
/** A report above so many times the bound of its request is not believed. */
const MAX_TIMES = 10

function sum<T>(all: readonly T[], amount: (each: T) => number): number {
  return all.reduce((total, each) => total + amount(each), 0)
}

/** The vendors' bills for a request in nano-dollars, beyond the named exceptions if its key is not strict. */
function computeDue({ bills, isStrict, isForecast, isOpened, isOpen }: TrackedRequest): number {
  return sum(bills, (bill) => {
    const except = isStrict ? 0 : computeExceptions({ bill, isForecast, isWaiting: isOpen && !isOpened })
    return Math.max(0, bill.nano - except - ROUNDING_NANO)
  })
}

/** Bills of vendors are reserved while the request runs, and charged or held when it is over. */
export function checkBills(tracked: TrackedRequest): void {
  if (tracked.isLost) return
  const { isOpen, reservation, charge, heldNano } = tracked
  const due = computeDue(tracked)
  if (isOpen) {
    const reserved = reservation?.amount ?? 0
    if (due <= reserved || isAtLimit(tracked)) return
    throw new BrokenInvariant(
      computeBound(tracked),
      `${describe(tracked)} are billed, and ${reserved} reserved`,
    )
  }
  // Nothing is held for a request that no limit stops.
  if (charge === null || !tracked.isLimited || tracked.isHoldOver) return
  const short = computeShort(tracked)
  if (short <= 0 || isEstimated(tracked)) return
  throw new BrokenInvariant(
    'unsettled',
    `${describe(tracked)} are billed, ${charge.costNano} charged (${charge.costStatus}) and ${heldNano} held`,
  )
}

/** The part of a request's bills that is neither charged nor held. */
function computeShort(tracked: TrackedRequest): number {
  return computeDue(tracked) - (tracked.charge?.costNano ?? 0) - tracked.heldNano
}

/**
 * Whether the charge is an estimate of one call, because its vendor has not told its figures, or not truly. All of it was reserved,
 * and what other calls may be billed is held.
 */
function isEstimated(tracked: TrackedRequest): boolean {
  const { bills, isStrict, heldNano, peakNano } = tracked
  if (isStrict) return false
  const estimates = bills.filter(isEstimatedBill).map((bill) => computeDue({ ...tracked, bills: [bill] }))
  const others = computeDue(tracked) - Math.max(0, ...estimates)
  return others <= heldNano && (computeDue(tracked) <= peakNano || isAtLimit(tracked))
}

/** A stream without text may be taken for one without an answer, and another call made. */
function isEstimatedBill(bill: Bill): boolean {
  const { isDelivered, received, usage } = bill
  if (!received.streams) return isDelivered && !isTrue(bill)
  return !isDelivered || !isTrue(bill) || usage.text === 0
}

const isTrue = ({ report }: Bill): boolean => report === 'honest' || report === 'twice'

/**
 * What is charged and held of the bills under a cap passes it by at most one request, and by what is billed for streams that another
 * limit has left less than was likely.
 */
export function checkCap(requests: readonly TrackedRequest[], capNano: number): void {
  let due = 0
  let largest = 0
  let ofShort = 0
  for (const tracked of requests) {
    if (tracked.isLost || !tracked.isLimited || tracked.isHoldOver) continue
    const own = computeDue(tracked) - Math.max(0, computeShort(tracked))
    due += own
    largest = Math.max(largest, own)
    const { cameToLimit, smallestNano } = tracked
    if (cameToLimit && isAtLimit(tracked) && smallestNano < capNano)
      ofShort += Math.max(0, own - tracked.peakNano)
  }
  if (due > capNano + largest + ofShort + ROUNDING_NANO)
    throw new BrokenInvariant(
      'cap',
      `${due} are billed under a cap of ${capNano}; the largest request is ${largest}`,
    )
}

/**
 * All that vendors bill to a strict key is within its cap. Not counted is what a crash has lost before it could be recorded, and
 * what is no longer held: then only the charge counts.
 */
export function checkStrictCap(requests: readonly TrackedRequest[], capNano: number): void {
  const due = sum(requests, (tracked) => {
    if (tracked.isLost) return 0
    const billed = sum(tracked.bills, ({ nano }) => nano)
    return tracked.isHoldOver ? Math.min(billed, tracked.charge?.costNano ?? 0) : billed
  })
  if (due > capNano + ROUNDING_NANO * requests.length)
    throw new BrokenInvariant('strict cap', `${due} are billed under a strict cap of ${capNano}`)
}

/**
 * Whether a stream has come to a limit, where it is admitted with its prompt alone, and what was reserved for the bound of its
 * prompt is used for its output. It may pass the limit, as the one request that does.
 */
function isAtLimit({ reservation, row, cameToLimit, isStrict }: TrackedRequest): boolean {
  if (isStrict || row?.stream !== true) return false
  return cameToLimit || (reservation !== null && computeLeastLeft(reservation.limits) <= 0)
}

/** The charge itself: exact where the vendor tells the truth, and never far above what the request can cost. */
export function checkCharge({ charge, bills, peakNano, isLost }: TrackedRequest): void {
  const [bill] = bills
  if (charge === null || isLost) return
  const costNano = charge.costNano ?? 0
  const most = Math.max(peakNano, sum(bills, mostNano))
  if (costNano > MAX_TIMES * most + ROUNDING_NANO)
    throw new BrokenInvariant('report', `${costNano} are charged for what can cost ${most}`)
  if (!bill || bills.length > 1 || charge.costStatus !== 'exact' || !bill.isDelivered) return
  if (!isTrue(bill)) return
  if (Math.abs(bill.nano - costNano) > ROUNDING_NANO)
    throw new BrokenInvariant(
      'exact',
      `${costNano} are charged exactly for what the vendor bills ${bill.nano}: ${describeBill(bill)}`,
    )
}

/** The message for clients when the gateway itself fails. */
const FAULT = 'Something went wrong inside Tollgate'

/** No answer is a fault, and a request that was not sent before its key was revoked is refused. */
export function checkAnswer({ action, seen, bills }: TrackedRequest, revokedAt: number | null): void {
  if (seen.text.includes(FAULT))
    throw new BrokenInvariant('fault', `request ${action.id} was answered with a fault`)
  if (revokedAt === null || !seen.isComplete || bills.some(({ sentAt }) => sentAt <= revokedAt)) return
  if (seen.status === 200 || seen.status === 502)
    throw new BrokenInvariant(
      'revoked',
      `request ${action.id} was answered with ${seen.status} after its key was revoked`,
    )
}

export const isRefusedAsSubAgent = ({ seen }: TrackedRequest): boolean =>
  seen.text.includes('subagent_limit_reached')

/**
 * At most so many sub-agents of a session are at work, checked when a request of one has ended: an agent whose other request ran
 * at the same time was at work. One is refused only if so many others have been.
 */
export function checkSubAgents(
  { action, row }: TrackedRequest,
  all: readonly TrackedRequest[],
  maxSubagents: number,
): void {
  if (action.agent === null) return
  const others = all.filter(
    (other) =>
      other.action.agent !== null &&
      other.action.key === action.key &&
      other.action.session === action.session &&
      other.action.agent !== action.agent,
  )
  const running = others.filter((other) => other.row !== null && !other.seen.isClosed && !other.isLost)
  const known = new Set(
    others.filter((other) => !isRefusedAsSubAgent(other)).map((other) => other.action.agent),
  )
  const working = new Set(running.map((other) => other.action.agent))
  if (row === null ? known.size >= maxSubagents : working.size < maxSubagents) return
  throw new BrokenInvariant(
    'sub-agents',
    row === null
      ? `request ${action.id} was refused next to ${known.size} other sub-agents, where ${maxSubagents} are allowed`
      : `request ${action.id} of a sub-agent ran next to ${working.size} others, where ${maxSubagents} are allowed`,
  )
}

/** The totals of what is reserved. */
export function checkReserved(figures: {
  accountNano: number
  keysNano: number
  openNano: number
  heldNano: number
}): void {
  const { accountNano, keysNano, openNano, heldNano } = figures
  if (accountNano !== keysNano || keysNano !== openNano + heldNano)
    throw new BrokenInvariant(
      'reserved',
      `reserved: ${accountNano} of the account, ${keysNano} of the keys, ${openNano} of what is open and ${heldNano} held`,
    )
}

/** The part of the bound that was too low. */
function computeBound({ bills }: TrackedRequest): Invariant {
  if (bills.some(({ usage }) => usage.added > 0)) return 'bound with searches'
  const reasons = bills.some(
    ({ usage, model, nano }) => usage.reasoning * model.prices.outputPerMillion * 1_000 > nano / 2,
  )
  return reasons ? 'bound with reasoning' : 'bound'
}

function describe({ action, bills }: TrackedRequest): string {
  return `request ${action.id}: ${bills.map((bill) => `${bill.nano} for ${describeBill(bill)}`).join(' and ')}`
}

function describeBill(bill: Bill): string {
  const { received, usage, model, report, outcome } = bill
  const shape = [
    received.streams ? 'a stream' : 'a plain call',
    ...(received.images > 0 ? [`${received.images} images`] : []),
    ...(received.references > 0 ? [`${received.references} references`] : []),
    ...(received.searches > 0 ? [`up to ${received.searches} searches`] : []),
    ...(received.tier === null ? [] : [`tier ${received.tier} at ${bill.tierFactor}`]),
  ]
  return `${model.id} (${shape.join(', ')}; ${outcome}, report ${report}; ${JSON.stringify(usage)})`
}
