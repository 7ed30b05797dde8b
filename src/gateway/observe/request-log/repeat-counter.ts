import { type Clock, getTimers } from '../../platform/clock.ts'

const ROW_MS = 60_000
const NOTIFY_INTERVAL_MS = 1_000
const MAX_KINDS = 1_000
const MAX_IDS = 10_000

export interface Countable {
  id: string
  count: number
  /** The time of the last call; null while there is only one. */
  lastAt: number | null
}

/**
 * Counts repeated calls of one kind in one row a minute, so that a client that keeps retrying fills neither the disk nor
 * the list.
 */
export class RepeatCounter<Row extends Countable> {
  readonly #clock: Clock
  /** The open rows by kind, the oldest first. */
  readonly #open = new Map<string, { row: Row; since: number }>()
  /** The row of each call that did not create one, by the call's id. */
  readonly #rowById = new Map<string, Row>()
  readonly #changed = new Set<Row>()
  #timer: NodeJS.Timeout | null = null
  readonly #onCount: (row: Row) => void

  /** `onCount` is called with every row whose count has risen, at most once a second. */
  constructor(clock: Clock, onCount: (row: Row) => void) {
    this.#clock = clock
    this.#onCount = onCount
  }

  /** The new row when the call `id` is the first of its kind within a minute; null when it is counted in another's. */
  add(kind: string, id: string, createRow: () => Row): Row | null {
    const now = this.#clock.monotonic()
    const open = this.#open.get(kind)
    if (open && now - open.since < ROW_MS) {
      this.#count(open.row, id)
      return null
    }
    const row = createRow()
    this.#open.delete(kind)
    this.#open.set(kind, { row, since: now })
    if (this.#open.size > MAX_KINDS) dropFirst(this.#open)
    return row
  }

  /** The row that a call was counted in; undefined for a call that created a row, or that is too old. */
  findRow(id: string): Row | undefined {
    return this.#rowById.get(id)
  }

  /** Reports all counts that are pending. */
  flush(): void {
    getTimers(this.#clock).clear(this.#timer)
    this.#timer = null
    const rows = [...this.#changed]
    this.#changed.clear()
    for (const row of rows) this.#onCount(row)
  }

  #count(row: Row, id: string): void {
    row.count++
    row.lastAt = this.#clock.now()
    this.#rowById.set(id, row)
    if (this.#rowById.size > MAX_IDS) dropFirst(this.#rowById)
    this.#changed.add(row)
    this.#timer ??= getTimers(this.#clock).setTimeout(() => this.flush(), NOTIFY_INTERVAL_MS)
  }
}

function dropFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}
