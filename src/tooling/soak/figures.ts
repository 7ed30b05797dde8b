/** A run with any of these faults has failed. */
const FAULTS = {
  lost: 'acknowledged charges lost',
  doubled: 'charges doubled',
  changed: 'acknowledged charges that differ from the reported cost',
  wrongCost: 'charges that differ from the reported usage',
  negative: 'negative charges',
  replayDiffers: 'replays that differ',
  ledgerDiffers: 'ledger totals that differ',
  leaked: 'reservations without a request that has left them',
  stillRunning: 'rows left running',
  overCap: 'caps exceeded by more than one request',
  revokedAccepted: 'revoked keys that were accepted',
  swapped: 'responses of another call',
  internalError: 'responses with status 500 or without the error envelope',
  logged: 'errors in the log',
  exited: 'unexpected exits of the program',
  slowStop: 'slow stops',
} as const
export type Fault = keyof typeof FAULTS

/** How many cases of each fault are described in full. */
const MAX_DESCRIBED = 5

export class Figures {
  requests = 0
  acknowledged = 0
  replays = 0
  kills = 0
  peakRssMiB = 0
  readonly restartMs: number[] = []
  readonly #faults = new Map<Fault, string[]>()
  readonly #counts = new Map<Fault, number>()

  add(fault: Fault, what: string): void {
    const count = (this.#counts.get(fault) ?? 0) + 1
    this.#counts.set(fault, count)
    if (count > MAX_DESCRIBED) return
    this.#faults.set(fault, [...(this.#faults.get(fault) ?? []), what])
    console.error(`! ${FAULTS[fault]}: ${what}`)
  }

  get failed(): boolean {
    return this.#counts.size > 0
  }

  formatTable(): string {
    const sorted = this.restartMs.toSorted((a, b) => a - b)
    const seconds = (ms: number | undefined) => ((ms ?? 0) / 1000).toFixed(2)
    const rows: [string, string | number][] = [
      ['kills', this.kills],
      ['requests', this.requests],
      ['acknowledged', this.acknowledged],
      ['replays compared', this.replays],
      ...Object.entries(FAULTS).map(([fault, name]): [string, number] => [
        name,
        [...this.#counts].find(([counted]) => counted === fault)?.[1] ?? 0,
      ]),
      ['peak RSS, MiB', this.peakRssMiB],
      ['restart, median s', seconds(sorted[Math.floor(sorted.length / 2)])],
      ['restart, worst s', seconds(sorted.at(-1))],
    ]
    const width = Math.max(...rows.map(([name]) => name.length))
    return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
  }
}
