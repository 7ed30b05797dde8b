/** The faults. A run in which any of them is not zero has failed. */
const FAULTS = {
  lost: 'acknowledged charges lost',
  doubled: 'charges doubled',
  changed: 'acknowledged charges that differ from the reported cost',
  wrongCost: 'charges that are not the usage that was reported',
  negative: 'negative charges',
  wrongReplay: 'replays that are wrong',
  booksDiffer: 'ledger totals that differ',
  leaked: 'reservations left when nothing runs',
  stillRunning: 'rows left running',
  overCap: 'caps passed by more than one request',
  revokedServed: 'revoked keys that were served',
  swapped: 'answers to another caller',
  ownFault: 'answers 500 or of no known shape',
  logged: 'faults in the log',
  watchExit: 'exits of the program by itself',
  slowStop: 'stops that were not over in time',
} as const
export type Fault = keyof typeof FAULTS

/** How many cases of each fault are described in full. */
const DESCRIBED = 5

export class Figures {
  requests = 0
  acknowledged = 0
  replays = 0
  kills = 0
  peakRssMiB = 0
  readonly restartMs: number[] = []
  readonly #faults = new Map<Fault, string[]>()
  readonly #counts = new Map<Fault, number>()

  found(fault: Fault, what: string): void {
    const count = (this.#counts.get(fault) ?? 0) + 1
    this.#counts.set(fault, count)
    if (count > DESCRIBED) return
    this.#faults.set(fault, [...(this.#faults.get(fault) ?? []), what])
    console.error(`! ${FAULTS[fault]}: ${what}`)
  }

  get failed(): boolean {
    return this.#counts.size > 0
  }

  table(): string {
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
