interface Finding {
  count: number
  /** The first case that showed it, to run it again alone. */
  firstCase: number
  detail: string
}

const MAX_DETAIL_LENGTH = 700

/** Counts each fault, and remembers the first case that showed it. */
export class Findings {
  readonly #ends = new Map<string, number>()
  readonly #found = new Map<string, Finding>()

  /** `what` names the fault, without anything that differs between cases. */
  add(what: string, caseNumber: number, detail: string): void {
    const known = this.#found.get(what)
    if (known) {
      known.count += 1
      return
    }
    this.#found.set(what, { count: 1, firstCase: caseNumber, detail: detail.slice(0, MAX_DETAIL_LENGTH) })
    console.error(`! ${what} (case ${caseNumber}): ${detail.slice(0, MAX_DETAIL_LENGTH)}`)
  }

  /** Counts how cases ended: a run in which all end the same way has tested little. */
  countEnd(how: string): void {
    this.#ends.set(how, (this.#ends.get(how) ?? 0) + 1)
  }

  /** The ends, most frequent first. */
  formatEnds(): string {
    const sorted = [...this.#ends].sort(([, a], [, b]) => b - a)
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
        ([what, { count, firstCase }]) => `${String(count).padStart(8)}  ${what}, first in case ${firstCase}`,
      )
      .join('\n')
  }
}

/** An error's message without numbers and ids, and where it was thrown: the same for every case of one fault. */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const place = /at .*?\(?([^()\s]*src\/[^()\s]+)\)?/
    .exec(error.stack ?? '')?.[1]
    ?.replace(/^.*src\//, 'src/')
  return `${error.name}: ${error.message.replaceAll(/\d+/g, 'N').slice(0, 120)}${place ? ` at ${place}` : ''}`
}
