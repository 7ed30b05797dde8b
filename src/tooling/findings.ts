interface Finding {
  count: number
  /** The first case that showed it, to run it again alone. */
  firstCase: number | null
}

const MAX_DETAIL_LENGTH = 700
/** How often each fault is described in full. */
const MAX_DESCRIBED = 3

/** Counts each fault, and remembers the first case that showed it. */
export class Findings {
  readonly #counts = new Map<string, number>()
  readonly #found = new Map<string, Finding>()

  /** `what` names the fault, without anything that differs between cases. */
  add(what: string, detail: string, caseNumber: number | null = null): void {
    const known = this.#found.get(what) ?? { count: 0, firstCase: caseNumber }
    known.count += 1
    this.#found.set(what, known)
    const where = caseNumber === null ? '' : ` (case ${caseNumber})`
    if (known.count <= MAX_DESCRIBED)
      console.error(`! ${what}${where}: ${detail.slice(0, MAX_DETAIL_LENGTH)}`)
  }

  /** Counts what was done, or how cases ended: a run in which all end the same way has tested little. */
  count(how: string): void {
    this.#counts.set(how, (this.#counts.get(how) ?? 0) + 1)
  }

  /** The counts, the highest first. */
  formatCounts(): string {
    const sorted = [...this.#counts].sort(([, a], [, b]) => b - a)
    return sorted.map(([how, count]) => `${how}: ${count}`).join(', ')
  }

  get any(): boolean {
    return this.#found.size > 0
  }

  report(): string {
    if (!this.any) return 'nothing found'
    return [...this.#found]
      .sort(([, a], [, b]) => b.count - a.count)
      .map(
        ([what, { count, firstCase }]) =>
          `${String(count).padStart(8)}  ${what}${firstCase === null ? '' : `, first in case ${firstCase}`}`,
      )
      .join('\n')
  }
}
