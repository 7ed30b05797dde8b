// Owns admission under caps: reserve the worst case, wait in order, release. Knows nothing of requests or of prices.
import { addUsd, type NanoUsd, nanoToUsd, subtractUsd } from '../shared/money.ts'
import type { AccountBook } from './account.ts'
import { type GatewayError, quotaExceeded } from './errors.ts'
import type { KeyState } from './keys.ts'

/** How long a request waits for running reservations to settle before it is refused. */
const LONGEST_WAIT_MS = 30_000

export interface Reservation {
  key: KeyState
  amount: NanoUsd
  /** Milliseconds from asking to admission. */
  waitedMs: number
}

interface Waiter {
  key: KeyState
  amount: NanoUsd
  admit(): void
  refuse(error: Error): void
}

type Verdict = 'admit' | 'wait' | GatewayError

/**
 * A request is admitted while `spent + reserved < limit`, for its key's cap and for the account's month alike, so
 * spend passes a limit by at most the last admitted request. All decisions are made in this one process, in one turn
 * of the event loop each: there is no window between the check and the reservation.
 */
export class Budget {
  readonly #account: AccountBook
  readonly #longestWaitMs: number
  #waiters: Waiter[] = []

  constructor(account: AccountBook, longestWaitMs = LONGEST_WAIT_MS) {
    this.#account = account
    this.#longestWaitMs = longestWaitMs
  }

  /** Reserves `amount`. Throws 402 at the cap, or after the wait when only running reservations stand in the way. */
  async reserve(key: KeyState, amount: NanoUsd, signal: AbortSignal): Promise<Reservation> {
    signal.throwIfAborted()
    const verdict = this.#waiters.some((waiter) => waiter.key === key) ? 'wait' : this.#judge(key)
    if (verdict === 'admit') {
      this.#take(key, amount)
      return { key, amount, waitedMs: 0 }
    }
    if (verdict !== 'wait') throw verdict
    const startedAt = performance.now()
    await this.#queue(key, amount, signal)
    return { key, amount, waitedMs: performance.now() - startedAt }
  }

  /** Ends a reservation. The charge, if any, has been added to key and account before. */
  release(reservation: Reservation): void {
    const { key, amount } = reservation
    key.reservedNano = subtractUsd(key.reservedNano, amount)
    this.#account.reservedNano = subtractUsd(this.#account.reservedNano, amount)
    this.pump()
  }

  /** Looks at the queue again, in order: after a release, and after a limit was changed. */
  pump(): void {
    const blocked = new Set<KeyState>()
    const waiting = this.#waiters
    this.#waiters = []
    for (const waiter of waiting) {
      const verdict = blocked.has(waiter.key) ? 'wait' : this.#judge(waiter.key)
      if (verdict === 'admit') {
        this.#take(waiter.key, waiter.amount)
        waiter.admit()
      } else if (verdict === 'wait') {
        blocked.add(waiter.key)
        this.#waiters.push(waiter)
      } else {
        waiter.refuse(verdict)
      }
    }
  }

  #judge(key: KeyState): Verdict {
    const account = this.#account
    const monthLimit = account.monthlyLimitNano
    if (key.limitNano !== null && key.spendNano >= key.limitNano) return limitReached(key)
    if (monthLimit !== null && account.monthSpendNano >= monthLimit) return accountLimitReached(account)
    const keyFull = key.limitNano !== null && key.spendNano + key.reservedNano >= key.limitNano
    const monthFull = monthLimit !== null && account.monthSpendNano + account.reservedNano >= monthLimit
    return keyFull || monthFull ? 'wait' : 'admit'
  }

  #take(key: KeyState, amount: NanoUsd): void {
    key.reservedNano = addUsd(key.reservedNano, amount)
    this.#account.reservedNano = addUsd(this.#account.reservedNano, amount)
  }

  #queue(key: KeyState, amount: NanoUsd, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', aborted)
        this.#waiters = this.#waiters.filter((other) => other !== waiter)
      }
      const settle = (then: () => void) => {
        leave()
        then()
      }
      const waiter: Waiter = {
        key,
        amount,
        admit: () => settle(resolve),
        refuse: (error) => settle(() => reject(error)),
      }
      const aborted = () =>
        waiter.refuse(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
      const timer = setTimeout(
        () => waiter.refuse(stillReserved(key, this.#longestWaitMs)),
        this.#longestWaitMs,
      )
      signal.addEventListener('abort', aborted, { once: true })
      this.#waiters.push(waiter)
    })
  }
}

function usd(nano: NanoUsd): string {
  return `$${nanoToUsd(nano)}`
}

function limitReached(key: KeyState): GatewayError {
  const spent = `${usd(key.spendNano)} of $${key.spendLimitUsd}`
  return quotaExceeded(
    'spend_limit_reached',
    `The key "${key.name}" has spent ${spent}. Raise its cap in Tollgate to go on.`,
  )
}

function accountLimitReached(account: AccountBook): GatewayError {
  const { monthSpendUsd, monthlyLimitUsd, monthResetsAt } = account.view()
  return quotaExceeded(
    'account_limit_reached',
    `This month's limit is reached: $${monthSpendUsd} of $${monthlyLimitUsd} spent. Raise it in Tollgate, or wait until ${monthResetsAt}.`,
  )
}

function stillReserved(key: KeyState, waitedMs: number): GatewayError {
  return quotaExceeded(
    'spend_reserved',
    `All that the key "${key.name}" may still spend is reserved by running requests (${usd(key.reservedNano)}), and they did not settle within ${waitedMs / 1000} s. Try again when they are done, or raise the cap.`,
  )
}
