import type { Clock } from '../../../gateway/platform/clock.ts'
import type { Log } from '../../../gateway/platform/log.ts'
import type { ExportProblem } from '../api/telemetry.ts'

const LOG_INTERVAL_MS = 10 * 60_000

/** How the exports of this process went. It stays when their settings change. */
export class ExportStatus {
  readonly #clock: Clock
  readonly #log: Log
  #loggedAt: number | null = null
  lastExportAt: number | null = null
  lastProblem: ExportProblem | null = null
  spansSent = 0
  spansLost = 0

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  succeeded(spans: number): void {
    this.lastExportAt = this.#clock.now()
    this.lastProblem = null
    this.spansSent += spans
  }

  /** Logs one line in ten minutes: a receiver that is down must not fill the log. */
  failed(message: string, spans: number): void {
    this.lastProblem = { at: new Date(this.#clock.now()).toISOString(), message }
    this.spansLost += spans
    const now = this.#clock.monotonic()
    if (this.#loggedAt !== null && now - this.#loggedAt < LOG_INTERVAL_MS) return
    this.#loggedAt = now
    this.#log.warn(`The export to OpenTelemetry failed: ${message}`)
  }
}
