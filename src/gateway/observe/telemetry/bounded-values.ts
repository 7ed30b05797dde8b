const OTHER = 'other'

/** Values of a label: clients choose some of them, and each new one makes further time series. */
export class BoundedValues {
  readonly #known = new Set<string>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  /** The value, or `other` once there are too many. Empty for none. */
  bound(value: string | null): string {
    if (value === null || value === '') return ''
    if (this.#known.has(value)) return value
    if (this.#known.size >= this.#max) return OTHER
    this.#known.add(value)
    return value
  }
}
