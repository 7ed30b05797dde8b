import { getTimers, systemClock, type Timers } from './clock.ts'
import { serverError } from './errors.ts'

/** How soon a failed write is repeated. */
const RETRY_MS = 1_000

type Write = () => Promise<unknown>

/** Writes of changes that have taken effect in memory already: each is repeated until it succeeds. */
export class RetriedWrites {
  readonly #timers: Timers
  readonly #retryMs: number
  /** The pending writes by the name of what they change: a newer write replaces an older one. */
  readonly #pending = new Map<string, Write>()
  #timer: NodeJS.Timeout | null = null
  #closed = false

  constructor(clock = systemClock, retryMs = RETRY_MS) {
    this.#timers = getTimers(clock)
    this.#retryMs = retryMs
  }

  add(name: string, write: Write): void {
    this.#pending.set(name, write)
  }

  /** A change that was undone needs no write any more. */
  drop(name: string): void {
    this.#pending.delete(name)
  }

  /** Whether the change is durable now, or was before. If not, the write is repeated soon. */
  async write(name: string): Promise<boolean> {
    const write = this.#pending.get(name)
    if (!write) return true
    try {
      await write()
      if (this.#pending.get(name) === write) this.#pending.delete(name)
      return true
    } catch {
      this.#scheduleRetry()
      return false
    }
  }

  /** Throws 503 if the change is not durable. `effect` says what it does from now on, `lost` what a restart would lose. */
  async require(name: string, effect: string, lost = 'that', advice = ''): Promise<void> {
    if (await this.write(name)) return
    throw serverError(
      `${effect} from now on, but ${lost} cannot be stored yet (is the disk full?) and would be lost at a restart. Free some space: Tollgate keeps retrying${advice}.`,
      503,
      'ledger_unavailable',
    )
  }

  async writeAll(): Promise<void> {
    await Promise.all([...this.#pending.keys()].map((name) => this.write(name)))
  }

  /** Repeats no write any more. */
  close(): void {
    this.#closed = true
    this.#timers.clear(this.#timer)
  }

  #scheduleRetry(): void {
    if (this.#closed) return
    this.#timer ??= this.#timers
      .setTimeout(() => {
        this.#timer = null
        void this.writeAll()
      }, this.#retryMs)
      .unref()
  }
}
