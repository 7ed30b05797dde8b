import type { Span } from '../../shared/calendar.ts'
import { addUsd, type NanoUsd, nanoUsd } from '../../shared/money.ts'
import {
  type Counted,
  type CounterContext,
  END_OF_TIME,
  type SpendCounter,
  type SpendFilter,
  sumOf,
} from './spend-counter.ts'

const EVER: readonly Span[] = [{ start: 0, end: END_OF_TIME }]

/** Everything ever spent. */
export class LifetimeCounter implements SpendCounter {
  readonly filter: SpendFilter
  readonly bySlot = false
  readonly resetsAt = null
  readonly changesAt = null
  readonly #context: CounterContext
  /** Null until it is counted. */
  #nano: NanoUsd | null = null

  constructor(filter: SpendFilter, context: CounterContext) {
    this.filter = filter
    this.#context = context
  }

  get spentNano(): NanoUsd {
    return this.#nano ?? this.#context.everNano()
  }

  add(cost: NanoUsd): void {
    if (this.#nano !== null) this.#nano = addUsd(this.#nano, cost)
  }

  spansAt(): readonly Span[] {
    return EVER
  }

  setCounted({ spend: [spend], unknownNano }: Counted): void {
    this.#nano = nanoUsd(sumOf(spend) + unknownNano)
  }
}
