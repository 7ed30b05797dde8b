// Owns the gathering of calls that are turned away for one reason: one row a minute for each, with a count. So a program
// that asks on and on fills neither the disk nor the list.
import type { Clock } from '../platform/clock.ts'

const ROW_MS = 60_000
/** A count is told this often at most. */
const TELL_EVERY_MS = 1_000
const MOST_KINDS = 1_000
const MOST_IDS = 10_000

export interface Countable {
  id: string
  count: number
  /** The time of the last call; null while there is but one. */
  lastAt: number | null
}

export class RepeatCounter<Row extends Countable> {
  readonly #clock: Clock
  /** By kind, the oldest first. */
  readonly #open = new Map<string, { row: Row; since: number }>()
  /** The row of each call that did not begin one, by the call's id. */
  readonly #rowOf = new Map<string, Row>()
  readonly #changed = new Set<Row>()
  #timer: NodeJS.Timeout | null = null
  /** Told of every row whose count has risen, some time after. */
  onCount: (row: Row) => void = () => {}

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The new row when the call `id` is the first of its kind within a minute; null when it is counted in another's. */
  add(kind: string, id: string, make: () => Row): Row | null {
    const now = this.#clock.monotonic()
    const open = this.#open.get(kind)
    if (open && now - open.since < ROW_MS) {
      this.#count(open.row, id)
      return null
    }
    const row = make()
    this.#open.delete(kind)
    this.#open.set(kind, { row, since: now })
    if (this.#open.size > MOST_KINDS) dropFirst(this.#open)
    return row
  }

  /** The row that a call was counted in; undefined for one that began a row, or was long ago. */
  rowOf(id: string): Row | undefined {
    return this.#rowOf.get(id)
  }

  /** Tells all counts that were not told yet. */
  flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const rows = [...this.#changed]
    this.#changed.clear()
    for (const row of rows) this.onCount(row)
  }

  #count(row: Row, id: string): void {
    row.count++
    row.lastAt = this.#clock.now()
    this.#rowOf.set(id, row)
    if (this.#rowOf.size > MOST_IDS) dropFirst(this.#rowOf)
    this.#changed.add(row)
    this.#timer ??= setTimeout(() => this.flush(), TELL_EVERY_MS)
  }
}

function dropFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}
