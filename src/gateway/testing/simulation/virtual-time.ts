// Virtual time: a queue of events, each of which runs at its moment and before any other.
import type { Clock, Timers } from '../../platform/clock.ts'

interface Event {
  at: number
  /** The order of events at one moment: the first that was added runs first. */
  number: number
  run: () => void
  isCanceled: boolean
}

/** A timer as Node has it, in virtual time. */
class VirtualTimer implements NodeJS.Timeout {
  readonly #time: VirtualTime
  readonly #ms: number
  readonly #repeats: boolean
  readonly #run: () => void
  #event: Event

  constructor(time: VirtualTime, run: () => void, ms: number, repeats: boolean) {
    this.#time = time
    this.#ms = Number.isFinite(ms) ? Math.max(1, ms) : 1
    this.#repeats = repeats
    this.#run = run
    this.#event = this.#add()
  }

  #add(): Event {
    return this.#time.after(this.#ms, () => {
      if (this.#repeats) this.#event = this.#add()
      this.#run()
    })
  }

  close(): this {
    this.#event.isCanceled = true
    return this
  }

  refresh(): this {
    this.close()
    this.#event = this.#add()
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  _onTimeout(): void {
    this.#run()
  }

  [Symbol.toPrimitive](): number {
    return this.#event.number
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

export class VirtualTime {
  /** Monotonic milliseconds. */
  now = 0
  /** A binary heap. */
  readonly #events: Event[] = []
  #count = 0

  after(ms: number, run: () => void): Event {
    const event = { at: this.now + ms, number: this.#count++, run, isCanceled: false }
    this.#push(event)
    return event
  }

  /**
   * Runs the next event that is due by `until`, and all that follows from it without a timer. False if there is none; then
   * the time is `until`.
   */
  step(until: number): boolean {
    for (;;) {
      const next = this.#events[0]
      if (!next || next.at > until) {
        this.now = Math.max(this.now, until)
        return false
      }
      this.#pop()
      if (next.isCanceled) continue
      this.now = Math.max(this.now, next.at)
      next.run()
      return true
    }
  }

  /**
   * A clock whose timers end when `isOver` says so, as those of a process that has crashed do. `wallAt`: the wall clock's
   * milliseconds at a monotonic time.
   */
  createClock(wallAt: (monotonic: number) => number, isOver: () => boolean): Clock & { timers: Timers } {
    const unlessOver = (run: () => void) => () => {
      if (!isOver()) run()
    }
    const timers: Timers = {
      setTimeout: (run, ms) => new VirtualTimer(this, unlessOver(run), ms, false),
      setInterval: (run, ms) => {
        const timer: VirtualTimer = new VirtualTimer(
          this,
          () => (isOver() ? void timer.close() : run()),
          ms,
          true,
        )
        return timer
      },
      clear: (timer) => void timer?.close(),
      setImmediate: (run) => void this.after(0, unlessOver(run)),
      delay: (ms, { signal } = {}) =>
        new Promise((resolve, reject) => {
          const abort = () => {
            timer.close()
            reject(signal?.reason)
          }
          const timer = new VirtualTimer(
            this,
            unlessOver(() => {
              signal?.removeEventListener('abort', abort)
              resolve()
            }),
            ms,
            false,
          )
          if (signal?.aborted) abort()
          else signal?.addEventListener('abort', abort, { once: true })
        }),
    }
    return { now: () => Math.floor(wallAt(this.now)), monotonic: () => this.now, timers }
  }

  #push(event: Event): void {
    const heap = this.#events
    let at = heap.push(event) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent]
      if (!above || !isBefore(event, above)) break
      heap[at] = above
      at = parent
    }
    heap[at] = event
  }

  #pop(): void {
    const heap = this.#events
    const last = heap.pop()
    if (!last || heap.length === 0) return
    let at = 0
    for (;;) {
      const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]]
      const isRight = right !== undefined && left !== undefined && isBefore(right, left)
      const smaller = isRight ? right : left
      if (!smaller || isBefore(last, smaller)) break
      heap[at] = smaller
      at = 2 * at + (isRight ? 2 : 1)
    }
    heap[at] = last
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.number < b.number)
}
