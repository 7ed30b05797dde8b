import { addUsd, type NanoUsd, ZERO_USD } from '../../../shared/money.ts'

const SLOTS = 12
const SLOT_MS = 10_000
/** What is summed up. */
export const RECENT_MINUTES = (SLOTS * SLOT_MS) / 60_000

interface Slot {
  /** The number of its 10 seconds since the clock's start. */
  number: number
  spent: NanoUsd
  requests: number
}

/** The spend and the requests of the last two minutes. */
export class RecentSpend {
  readonly #slots: Slot[] = Array.from({ length: SLOTS }, () => ({
    number: -1,
    spent: ZERO_USD,
    requests: 0,
  }))

  /** `now`: monotonic milliseconds. */
  add(now: number, cost: NanoUsd): void {
    const number = Math.floor(now / SLOT_MS)
    const slot = this.#slots[number % SLOTS]
    if (!slot) return
    if (slot.number !== number) Object.assign(slot, { number, spent: ZERO_USD, requests: 0 })
    slot.spent = addUsd(slot.spent, cost)
    slot.requests += 1
  }

  total(now: number): { spent: NanoUsd; requests: number } {
    const oldest = Math.floor(now / SLOT_MS) - SLOTS
    let spent = ZERO_USD
    let requests = 0
    for (const slot of this.#slots) {
      if (slot.number <= oldest) continue
      spent = addUsd(spent, slot.spent)
      requests += slot.requests
    }
    return { spent, requests }
  }
}
