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
const exceptions: Readonly<Record<string, (bill: Bill, tracked: Tracked) => number>> = {
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

function exceptionsOf(bill: Bill, tracked: Tracked): number {
  return Object.values(exceptions).reduce((sum, exceed) => sum + Math.max(0, exceed(bill, tracked)), 0)
}

/** Rounding. */
const ROUNDING_NANO = 2

/** What a vendor bills is reserved while the request runs, and charged or held when it is over. */
export function checkBill(
  bill: Bill,
  tracked: Tracked,
  { now, heldNano }: { now: number; heldNano: number },
): void {
  if (bill.nano === 0 || tracked.isLost) return
  const due = bill.nano - exceptionsOf(bill, tracked) - ROUNDING_NANO
  if (tracked.isOpen || tracked.charge === null) {
    const reserved = tracked.reservation?.amount ?? 0
    if (tracked.isOpen && due > reserved && !isAtLimit(tracked))
      throw new Broken(
        boundOf(bill),
        `the vendor has billed ${bill.nano} for ${describe(bill)}, and ${reserved} are reserved`,
      )
    return
  }
  const { costNano, costStatus } = tracked.charge
  const charged = costNano ?? 0
  if (due <= charged + heldNano) return
  // A figure that the vendor itself has not told, or not truly, is an estimate, which was reserved.
  const isTold = bill.isDelivered && (bill.report === 'honest' || bill.report === 'twice')
  if (!isTold && bill.received.streams && due <= tracked.peakNano) return
  if (!isTold && bill.isDelivered && costStatus !== 'exact' && due <= tracked.peakNano) return
  if (!isTold && bill.isDelivered && bill.report !== 'honest' && due <= tracked.peakNano) return
  if (tracked.settledAt !== null && now - tracked.settledAt > HOLD_MS) return
  if (tracked.bills.length > 1 && tracked.bills.some((other) => other !== bill && other.nano >= bill.nano))
    return
  throw new Broken(
    'unsettled',
    `the vendor has billed ${bill.nano} for ${describe(bill)}, ${charged} are charged (${costStatus}) and ${heldNano} held`,
  )
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
  if (bill.report !== 'honest' && bill.report !== 'twice') return
  if (Math.abs(bill.nano - costNano) > ROUNDING_NANO)
    throw new Broken(
      'exact',
      `${costNano} are charged exactly for what the vendor bills ${bill.nano}: ${describe(bill)}`,
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
function boundOf({ usage, model, nano }: Bill): Invariant {
  if (usage.added > 0) return 'bound with searches'
  const reasoningNano = usage.reasoning * model.prices.outputPerMillion * 1_000
  return reasoningNano > nano / 2 ? 'bound with reasoning' : 'bound'
}

function describe(bill: Bill): string {
  const { received, usage, model, report, outcome, action } = bill
  const shape = [
    received.streams ? 'a stream' : 'a plain call',
    ...(received.images > 0 ? [`${received.images} images`] : []),
    ...(received.references > 0 ? [`${received.references} references`] : []),
    ...(received.searches > 0 ? [`up to ${received.searches} searches`] : []),
  ]
  return `request ${action} to ${model.id} (${shape.join(', ')}; ${outcome}, report ${report}; ${JSON.stringify(usage)})`
}
