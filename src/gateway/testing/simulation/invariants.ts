// The invariants of a simulated world, whatever its seed.
import type { Reservation } from '../../spend/reservation.ts'
import type { NewRequest, StoredRequest } from '../../store/store.ts'
import type { Bill } from './bill.ts'
import { BrokenInvariant, type Invariant } from './broken.ts'
import type { SeenResponse } from './client-exchange.ts'
import { computeExceptions, computeUnreported, isTrue } from './exceptions.ts'
import type { RequestAction } from './plan.ts'
import { computeFull, mostNano } from './vendor-meter.ts'

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
  /** A later process has found and settled it. */
  isRecovered: boolean
  /** Whether a limit stops its key. */
  isLimited: boolean
  isStrict: boolean
  /** The amount that stays reserved after its end. */
  heldNano: number
  /** The end of the hold by the wall clock; null while nothing is held. */
  heldUntil: number | null
  /** Whether the hold has ended, by the wall clock or because the owner has released it. */
  isHoldOver: boolean
  /** A limit has left it less than was likely, at its admission or later. */
  cameToLimit: boolean
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
    isRecovered: false,
    isLimited: false,
    isStrict,
    heldNano: 0,
    heldUntil: null,
    isHoldOver: false,
    cameToLimit: false,
    factor: 1,
    isForecast: false,
  }
}

const ROUNDING_NANO = 2
/** A report is believed up to so many times the bound of its request, or the most that its model can bill. */
const MAX_TIMES = 10

function sum<T>(all: readonly T[], amount: (each: T) => number): number {
  return all.reduce((total, each) => total + amount(each), 0)
}

const isCharged = ({ isOpen, charge }: TrackedRequest): boolean => !isOpen && charge !== null

/** A crash loses the report of what a relay has added by itself. */
const isReported = (tracked: TrackedRequest): boolean => isCharged(tracked) && !tracked.isRecovered

/**
 * The vendors' bills for a request in nano-dollars beyond the named exceptions, most of which are not for strict keys.
 * `countsUnasked`: whether what a relay has added by itself counts.
 */
function computeDue(tracked: TrackedRequest, countsUnasked = isReported(tracked)): number {
  const { bills, isStrict, isForecast, isOpened, isOpen, cameToLimit: isAtLimit } = tracked
  const isWaiting = isOpen && !isOpened
  const known = { isForecast, isWaiting, isAtLimit }
  return sum(bills, (bill) => {
    const except = isStrict ? 0 : computeExceptions({ bill, ...known })
    return Math.max(0, bill.nano - computeUnreported(bill, countsUnasked) - except - ROUNDING_NANO)
  })
}

/** Bills of vendors are reserved while the request runs, and charged or held when it is over. */
export function checkBills(tracked: TrackedRequest): void {
  if (tracked.isLost) return
  const { action, isOpen, reservation, charge, heldNano } = tracked
  const due = computeDue(tracked)
  if (isOpen) {
    // A stream that no limit stops is read at the pace of its client.
    if (!tracked.isLimited && action.readMs !== null) return
    const reserved = reservation?.amount ?? 0
    if (due <= reserved + computeBatch(tracked)) return
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
  return others <= heldNano && computeDue(tracked) <= peakNano + computeBatch(tracked)
}

/** The most that one batch of a stream may bring beyond its reservation. */
function computeBatch({ bills, isStrict }: TrackedRequest): number {
  return isStrict ? 0 : sum(bills, ({ batchNano }) => batchNano)
}

/** A stream without text may be taken for one without an answer, and another call made. */
function isEstimatedBill(bill: Bill): boolean {
  const { isDelivered, received, usage } = bill
  if (!received.streams) return isDelivered && !isTrue(bill)
  return !isDelivered || !isTrue(bill) || usage.text === 0
}

/** The bills under a cap pass it by at most one request, and one batch of each stream. */
export function checkCap(requests: readonly TrackedRequest[], capNano: number): void {
  let due = 0
  let largest = 0
  let batches = 0
  for (const tracked of requests) {
    if (tracked.isLost || !tracked.isLimited) continue
    const own = computeCounted(tracked)
    due += own
    largest = Math.max(largest, own)
    batches += computeBatch(tracked)
  }
  if (due > capNano + largest + batches + ROUNDING_NANO)
    throw new BrokenInvariant(
      'cap',
      `${due} are billed under a cap of ${capNano}; the largest request is ${largest}, and the last batches are ${batches}`,
    )
}

/**
 * The part of a request's bills that a cap must count: all of it, but for what is an estimate or not held any more, and what a
 * relay has added, which is known too late.
 */
function computeCounted(tracked: TrackedRequest): number {
  const due = computeDue(tracked, false)
  const { isHoldOver, charge, heldNano } = tracked
  if (!isCharged(tracked) || (!isHoldOver && !isEstimated(tracked))) return due
  return Math.min(due, (charge?.costNano ?? 0) + (isHoldOver ? 0 : heldNano))
}

/**
 * All that vendors bill to a strict key is within its cap. Not counted is what a crash has lost before it could be recorded, and
 * what is no longer held: then only the charge counts.
 */
export function checkStrictCap(requests: readonly TrackedRequest[], capNano: number): void {
  const due = sum(requests, (tracked) => {
    if (tracked.isLost) return 0
    const billed = computeDue(tracked, false)
    return tracked.isHoldOver ? Math.min(billed, tracked.charge?.costNano ?? 0) : billed
  })
  if (due > capNano + ROUNDING_NANO * requests.length)
    throw new BrokenInvariant('strict cap', `${due} are billed under a strict cap of ${capNano}`)
}

/** The charge itself: exact where the vendor tells the truth, and never far above what the request can cost. */
export function checkCharge({ charge, bills, peakNano, isLost }: TrackedRequest): void {
  const [bill] = bills
  if (charge === null || isLost) return
  const costNano = charge.costNano ?? 0
  const most = Math.max(MAX_TIMES * Math.max(peakNano, sum(bills, mostNano)), sum(bills, computeFull))
  if (costNano > most + ROUNDING_NANO)
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
