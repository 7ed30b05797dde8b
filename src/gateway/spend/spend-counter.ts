// What the counters of spend have in common.
import type { Span } from '../../shared/calendar.ts'
import type { MatchesModel } from '../../shared/model-pattern.ts'
import type { NanoUsd } from '../../shared/money.ts'
import { hasSamplePrices } from '../../shared/sandbox.ts'
import type { Clock } from '../platform/clock.ts'

/** By what spend is told apart. */
export interface SpendOf {
  keyId: string
  /** The model that served, as the request log names it. */
  model: string
  provider: string
  tag: string | null
}

/** Which spend counts; null for any. Without a key it is the account's, where sample prices do not count. */
export interface SpendFilter {
  keyId: string | null
  matches: MatchesModel | null
  tag: string | null
}

export function isCounted(filter: SpendFilter, spend: SpendOf): boolean {
  const { keyId, tag } = filter
  if (keyId !== null && keyId !== spend.keyId) return false
  if (tag !== null && tag !== spend.tag) return false
  return isModelCounted(filter, spend.model, spend.provider)
}

export function isModelCounted({ keyId, matches }: SpendFilter, model: string, provider: string): boolean {
  if (keyId === null && hasSamplePrices(provider)) return false
  return matches === null || matches(model, provider)
}

/** Spend that the ledger has, of one 15-minute slot where the counter needs slots. */
export interface CountedSpend {
  slot: number
  nano: number
}

/** The spend of a period that moves with the clock. Where it is not known, it is an upper bound. */
export interface SpendCounter {
  readonly filter: SpendFilter
  readonly spentNano: NanoUsd
  /** When the next period begins; null where the old one ends bit by bit, or never. */
  readonly resetsAt: number | null
  /** When it becomes less because time passes; null if it never does. */
  readonly changesAt: number | null
  /** Adds a settled charge, to the period in which its request was made. */
  add(cost: NanoUsd, createdAt: number): void
  /** The parts of the ledger from which it is counted. */
  spansAt(now: number, zone: string): readonly Span[]
  /** Whether it needs the spend of each slot of these parts. */
  readonly bySlot: boolean
  /** `spend`: that of each part. `unknownNano`: what may or may not be in it. */
  setCounted(counted: Counted): void
}

export interface Counted {
  now: number
  zone: string
  spans: readonly Span[]
  spend: readonly (readonly CountedSpend[])[]
  unknownNano: NanoUsd
}

/** What a counter needs of its surroundings. */
export interface CounterContext {
  clock: Clock
  zone(): string
  /** Everything ever spent under the filter, or more. */
  everNano(): NanoUsd
  /** Asks for the ledger to be read soon. */
  requestCount(): void
}

/** Later than any request, and within the range of every calendar. */
export const END_OF_TIME = Date.UTC(9999, 11, 31)

export function covers({ start, end }: Span, instant: number): boolean {
  return instant >= start && instant < end
}

export function sumOf(spend: readonly CountedSpend[] = []): number {
  return spend.reduce((sum, { nano }) => sum + nano, 0)
}
