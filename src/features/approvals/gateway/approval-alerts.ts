import { type Clock, getTimers } from '../../../gateway/platform/clock.ts'
import type { EventHub } from '../../../gateway/platform/events.ts'
import type { Approval } from '../api/approvals.ts'

const PAUSE_MS = 60_000

/** The question as it is now; null once no request waits for its answer. */
type FindOpen = () => Approval | null

/**
 * Alerts the owner that something asks: once a minute for each limit or rule, however many sessions ask and clients leave. A question
 * that came in between is announced afterwards, if it is still open.
 */
export class ApprovalAlerts {
  readonly #clock: Clock
  readonly #events: EventHub
  /** The questions since the last alert, by the place of their topic. */
  readonly #waiting = new Map<string, FindOpen[]>()

  constructor({ clock, events }: { clock: Clock; events: EventHub }) {
    this.#clock = clock
    this.#events = events
  }

  announce(place: string, findOpen: FindOpen): void {
    const waiting = this.#waiting.get(place)
    if (waiting) return void waiting.push(findOpen)
    const alert = findOpen()
    if (alert === null) return
    this.#events.publish('approval-alert', () => ({ type: 'approval-alert', alert }))
    this.#waiting.set(place, [])
    getTimers(this.#clock)
      .setTimeout(() => {
        const missed = this.#waiting.get(place) ?? []
        this.#waiting.delete(place)
        for (const each of missed) this.announce(place, each)
      }, PAUSE_MS)
      .unref()
  }
}
