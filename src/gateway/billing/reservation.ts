// What is held against the limits while a request runs.
import type { NanoUsd } from '../../shared/money.ts'
import type { Meters } from './meters.ts'
import type { Subject } from './spend-limits.ts'

export interface Reservation {
  readonly subject: Subject
  /** What it reserves in, which changes with the limits. */
  meters: Meters
  /** What counts against the limits. */
  amount: NanoUsd
  /** Milliseconds from the request to the admission. */
  waitedMs: number
  /** True while a stream waits for budget; it then reserves only what it has consumed. */
  paused: boolean
  /** True after the request has ended, for what its provider may still bill. */
  held: boolean
  /** In the order of admission. */
  readonly number: number
}

/** What a stream needs to reserve, and what it has consumed as far as is known. */
export interface Need {
  /** The reservation that covers the worst case of the next part. */
  target: NanoUsd
  /** The likely cost of what was sent and received so far. */
  consumed: NanoUsd
  /** The likely cost at the end of the next part. */
  next: NanoUsd
  /**
   * What the stream can still be billed for all that was sent and received so far, where that is not known before its end: it
   * stays reserved during a pause. Absent: `consumed`.
   */
  held?: NanoUsd
}

/** A request reserves `max`; a stream accepts less, down to `min`, when there is not enough. */
export interface Amounts {
  min: NanoUsd
  max: NanoUsd
}
