// What must hold in a simulated world, whatever its seed.
import { left } from '../../billing/meters.ts'
import type { Reservation } from '../../billing/reservation.ts'
import type { Charge } from '../../inference/charge.ts'
import type { NewRequest } from '../../store/store.ts'
import type { Seen } from './client-exchange.ts'
import type { RequestAction } from './plan.ts'
import type { Bill } from './vendor.ts'

/** What the world knows of one request of a client. */
export interface Tracked {
  readonly action: RequestAction
  readonly seen: Seen
  readonly startedAt: number
  /** Set when the gateway records it. */
  row: NewRequest | null
  reservation: Reservation | null
  /** Whether the reservation is still open. */
  isOpen: boolean
  /** The most that was reserved for it. */
  peakNano: number
  charge: Charge | null
  settledAt: number | null
  readonly bills: Bill[]
  /** The process that served it has crashed. */
  isLost: boolean
  hungUpAt: number | null
  /** Whether a limit stops its key. */
  isLimited: boolean
  /** What stays reserved after its end. */
  heldNano: number
  /** When it was admitted, it took all that was left under a limit. */
  cameToLimit: boolean
  /** The forecast's factor for the model when it was admitted. */
  factor: number
}

/** The invariants, by what breaks them. */
export type Invariant =
  /** A vendor has billed more than is reserved for the request, which runs. */
  | 'bound'
  | 'bound with searches'
  | 'bound with reasoning'
  /** A vendor bills more than is charged and held for a request that is over. */
  | 'unsettled'
  /** An exact charge is not what the vendor bills. */
  | 'exact'
  /** A charge far above what was reserved and billed. */
  | 'report'
  /** The figures of what is reserved do not agree. */
  | 'reserved'
  /** The spend falls, or the books do not agree. */
  | 'books'
  /** What a client was told is not durable. */
  | 'told'
  /** A crash loses rows that were sent long before. */
  | 'lost'
  /** A forecast's factor exceeds every ratio that it has seen. */
  | 'factor'
  /** A key is used although it was revoked. */
  | 'revoked'
  /** A request has no end, or waits too long. */
  | 'end'
  /** What was spent passes a cap by more than one request. */
  | 'cap'

/** A broken invariant. */
export class Broken extends Error {
  override name = 'Broken'
  readonly invariant: Invariant

  constructor(invariant: Invariant, message: string) {
    super(message)
    this.invariant = invariant
  }
}

/** How long what a provider may bill for a plain call without an answer stays reserved. */
const HOLD_MS = 3_600_000

/**
 * Tokens of hidden reasoning that a stream of a normal key reserves at its start, by effort; docs/caps.md. More than that is known
 * only when the provider reports it.
 */
const LIKELY_REASONING: Readonly<Record<string, number>> = {
  minimal: 1_000,
  none: 1_000,
  low: 4_000,
  medium: 8_000,
  high: 20_000,
}

/** What a bill may exceed the gateway's figures by, in nano-dollars: the closed list of the reasons. */
const exceptions: Readonly<Record<string, (bill: Bill) => number>> = {
  // The vendor works on until the end of the call reaches it.
  'the network': ({ nano, deliveredNano }) => nano - deliveredNano,
  // Until the vendor reports its tokens, four bytes of text count as one; there are vocabularies with a quarter more.
  'the tokens of the text of a stream': ({ received, usage, model }) =>
    received.streams ? usage.text * 0.25 * model.prices.outputPerMillion * 1_000 : 0,
  // Only the vendor knows how much a model reasons before it says so.
  'reasoning beyond the likely amount': ({ received, usage, model }) =>
    received.streams || model.reasoningIsExtra
      ? Math.max(
          0,
          usage.reasoning - (received.streams ? (LIKELY_REASONING[received.effort ?? 'medium'] ?? 8_000) : 0),
        ) *
        model.prices.outputPerMillion *
        1_000
      : 0,
}

function exceptionsOf(bill: Bill): number {
  return Object.values(exceptions).reduce((sum, exceed) => sum + Math.max(0, exceed(bill)), 0)
}

/** Rounding. */
const ROUNDING_NANO = 2

/** What vendors have billed for a request beyond its named exceptions, in nano-dollars. */
function dueOf({ bills }: Tracked): number {
  return bills.reduce((sum, bill) => sum + Math.max(0, bill.nano - exceptionsOf(bill) - ROUNDING_NANO), 0)
}

/** What vendors bill is reserved while the request runs, and charged or held when it is over. */
export function checkBills(tracked: Tracked, now: number): void {
  if (tracked.isLost) return
  const { isOpen, reservation, charge, heldNano } = tracked
  const due = dueOf(tracked)
  if (isOpen) {
    const reserved = reservation?.amount ?? 0
    if (due <= reserved || isAtLimit(tracked)) return
    throw new Broken(boundOf(tracked), `${describe(tracked)} are billed, and ${reserved} reserved`)
  }
  // What no limit stops is held by none.
  if (charge === null || !tracked.isLimited || isHoldOver(tracked, now)) return
  const short = shortOf(tracked)
  if (short <= 0 || isEstimated(tracked, due)) return
  throw new Broken(
    'unsettled',
    `${describe(tracked)} are billed, ${charge.costNano} charged (${charge.costStatus}) and ${heldNano} held`,
  )
}

/** What is neither charged nor held of a request's bills. */
function shortOf(tracked: Tracked): number {
  return dueOf(tracked) - (tracked.charge?.costNano ?? 0) - tracked.heldNano
}

function isHoldOver({ settledAt }: Tracked, now: number): boolean {
  return settledAt !== null && now - settledAt > HOLD_MS
}

/** Whether the charge is an estimate because the vendor has not told its figures, or not truly. All of it was reserved. */
function isEstimated(tracked: Tracked, due: number): boolean {
  const [bill] = tracked.bills
  if (!bill || tracked.bills.length > 1) return false
  const isTold = bill.isDelivered && isTrue(bill)
  const isInterrupted = bill.received.streams && !bill.isDelivered
  return !isTold && (bill.isDelivered || isInterrupted) && (due <= tracked.peakNano || isAtLimit(tracked))
}

const isTrue = ({ report }: Bill): boolean => report === 'honest' || report === 'twice'

/** All that was billed under a cap passes it by at most one request, or not at all if the key is strict. */
export function checkCap(
  requests: readonly Tracked[],
  capNano: number,
  isStrict: boolean,
  now: number,
): void {
  let due = 0
  let largest = 0
  for (const tracked of requests) {
    if (tracked.isLost || !tracked.isLimited || isHoldOver(tracked, now)) continue
    const own = dueOf(tracked) - Math.max(0, shortOf(tracked))
    due += own
    largest = Math.max(largest, own)
  }
  if (due > capNano + (isStrict ? 0 : largest) + ROUNDING_NANO)
    throw new Broken('cap', `${due} are billed under a cap of ${capNano}; the largest request is ${largest}`)
}

/**
 * Whether a stream has come to a limit, where it is admitted with its prompt alone, and what was reserved for the bound of its
 * prompt is used for its output. It may pass the limit, as the one request that does.
 */
function isAtLimit({ reservation, row, cameToLimit }: Tracked): boolean {
  return row?.stream === true && (cameToLimit || (reservation !== null && left(reservation.meters) <= 0))
}

/** The charge itself: exact where the vendor tells the truth, and never far above what was reserved. */
export function checkCharge(tracked: Tracked): void {
  const { charge, bills, peakNano } = tracked
  const [bill] = bills
  if (charge === null || tracked.isLost) return
  const costNano = charge.costNano ?? 0
  const last = bills.at(-1)
  if (costNano > 10 * Math.max(peakNano, last?.nano ?? 0) + ROUNDING_NANO)
    throw new Broken(
      'report',
      `${costNano} are charged for what had ${peakNano} reserved and cost ${last?.nano ?? 0}`,
    )
  if (!bill || bills.length > 1 || charge.costStatus !== 'exact' || !bill.isDelivered) return
  if (!isTrue(bill)) return
  if (Math.abs(bill.nano - costNano) > ROUNDING_NANO)
    throw new Broken(
      'exact',
      `${costNano} are charged exactly for what the vendor bills ${bill.nano}: ${describeBill(bill)}`,
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
    throw new Broken(
      'reserved',
      `reserved: ${accountNano} of the account, ${keysNano} of the keys, ${openNano} of what is open and ${heldNano} held`,
    )
}

/** The part of the bound that was too low. */
function boundOf({ bills }: Tracked): Invariant {
  if (bills.some(({ usage }) => usage.added > 0)) return 'bound with searches'
  const reasons = bills.some(
    ({ usage, model, nano }) => usage.reasoning * model.prices.outputPerMillion * 1_000 > nano / 2,
  )
  return reasons ? 'bound with reasoning' : 'bound'
}

function describe({ action, bills }: Tracked): string {
  return `request ${action.id}: ${bills.map((bill) => `${bill.nano} for ${describeBill(bill)}`).join(' and ')}`
}

function describeBill(bill: Bill): string {
  const { received, usage, model, report, outcome } = bill
  const shape = [
    received.streams ? 'a stream' : 'a plain call',
    ...(received.images > 0 ? [`${received.images} images`] : []),
    ...(received.references > 0 ? [`${received.references} references`] : []),
    ...(received.searches > 0 ? [`up to ${received.searches} searches`] : []),
  ]
  return `${model.id} (${shape.join(', ')}; ${outcome}, report ${report}; ${JSON.stringify(usage)})`
}
