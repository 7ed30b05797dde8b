// Columns of the tables of sums: one row for each bucket, key, model, provider, client and tag.

import { SANDBOX_ID } from '../../../shared/api/terms.ts'
import { daySpan, type Span } from '../../../shared/values/calendar.ts'
import { type Db, type SqlValue, statement } from '../sql/statement.ts'
import { StoreError } from '../sql/store-error.ts'

// How long requests took, as a histogram that can be added up and takes a few bytes: two of them, in one BLOB.
//
// Bin n counts durations from 0.1 ms · 1.1ⁿ up to the next bin's beginning, so that the geometric middle of a bin is at most
// 4.9 % away from any duration in it. Bin 0 has the shorter ones too, and bin 255 (3.6e6 seconds) the longer ones.
//
// The BLOB has, for each histogram, the number of its bins and then for each bin its number and its count; all are variable
// length integers (LEB128), and bins are in order. This form is in databases: it must not change.

export interface Timings {
  /** Milliseconds from the request to the end of the response, as counts by bin. */
  total: Histogram
  /** Milliseconds from the first attempt to the first byte of the response. */
  firstByte: Histogram
}

type Histogram = Map<number, number>

const FIRST_MS = 0.1
const GROWTH = Math.log(1.1)
const LAST_BIN = 255
const NO_BIN = LAST_BIN + 1
/** Two for the bin, eight for the largest exact integer. */
const BYTES_PER_BIN = 10

export function noTimings(): Timings {
  return { total: new Map(), firstByte: new Map() }
}

export function addDuration(histogram: Histogram, ms: number | null): void {
  if (ms !== null) addCount(histogram, findBin(ms), 1)
}

function findBin(ms: number): number {
  const bin = Math.floor(Math.log(ms / FIRST_MS) / GROWTH)
  return Math.min(Math.max(bin, 0), LAST_BIN)
}

function addCount(histogram: Histogram, bin: number, count: number): void {
  histogram.set(bin, (histogram.get(bin) ?? 0) + count)
}

/** The histograms of one request, as `encodeTimings` returns them. */
export function encodeDurations(totalMs: number | null, firstByteMs: number | null): Buffer | null {
  const timings = noTimings()
  addDuration(timings.total, totalMs)
  addDuration(timings.firstByte, firstByteMs)
  return encodeTimings(timings)
}

/** The duration in milliseconds that `share` of the counted ones do not exceed (nearest rank); null for none. */
export function percentile(histogram: Histogram, share: number): number | null {
  const bins = [...histogram].sort(([a], [b]) => a - b)
  const all = bins.reduce((sum, [, count]) => sum + count, 0)
  let rank = Math.max(Math.ceil(all * share), 1)
  for (const [bin, count] of bins) {
    rank -= count
    if (rank <= 0) return computeMiddle(bin)
  }
  return null
}

/** To three significant digits, as more would be invented. */
function computeMiddle(bin: number): number {
  return Number((FIRST_MS * Math.exp(GROWTH * (bin + 0.5))).toPrecision(3))
}

/** NULL for no request. */
export function encodeTimings({ total, firstByte }: Timings): Buffer | null {
  if (total.size === 0 && firstByte.size === 0) return null
  const writer = new Writer(BYTES_PER_BIN * (total.size + firstByte.size + 2))
  for (const histogram of [total, firstByte]) {
    writer.put(histogram.size)
    for (const [bin, count] of [...histogram].sort(([a], [b]) => a - b)) {
      writer.put(bin)
      writer.put(count)
    }
  }
  return writer.written()
}

/** Adds up what `encodeTimings` returned. */
export function sumTimings(all: readonly (Uint8Array | null | undefined)[]): Timings {
  const sum = noTimings()
  for (const encoded of all) {
    if (!encoded) continue
    const reader = new Reader(encoded)
    for (const histogram of [sum.total, sum.firstByte])
      for (let left = reader.next(); left > 0; left--) addCount(histogram, reader.next(), reader.next())
  }
  return sum
}

/** The sum of two encoded ones, in the time that reading them takes: every charge adds a few bins to many. */
export function addEncodedTimings(a: Uint8Array | null | undefined, b: Uint8Array | null): Uint8Array | null {
  if (!a || !b) return a ?? b
  const [readerOfA, readerOfB] = [new Reader(a), new Reader(b)]
  // A sum of two counts may be longer than both.
  const writer = new Writer(2 * (a.length + b.length))
  for (let histogram = 0; histogram < 2; histogram++) {
    const merged = mergeBins(readerOfA, readerOfB)
    writer.put(merged.length / 2)
    for (const number of merged) writer.put(number)
  }
  return writer.written()
}

/** The bins of two histograms, each followed by its count. */
function mergeBins(a: Reader, b: Reader): number[] {
  let leftOfA = a.next()
  let leftOfB = b.next()
  let binOfA = leftOfA > 0 ? a.next() : NO_BIN
  let binOfB = leftOfB > 0 ? b.next() : NO_BIN
  const merged: number[] = []
  while (leftOfA > 0 || leftOfB > 0) {
    const bin = Math.min(binOfA, binOfB)
    let count = 0
    if (binOfA === bin) {
      count += a.next()
      leftOfA--
      binOfA = leftOfA > 0 ? a.next() : NO_BIN
    }
    if (binOfB === bin) {
      count += b.next()
      leftOfB--
      binOfB = leftOfB > 0 ? b.next() : NO_BIN
    }
    merged.push(bin, count)
  }
  return merged
}

class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  next(): number {
    const first = this.#bytes[this.#at++] ?? 0
    if (first < 0x80) return first
    let value = first & 0x7f
    for (let factor = 0x80; ; factor *= 0x80) {
      const byte = this.#bytes[this.#at++] ?? 0
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
  }
}

class Writer {
  readonly #bytes: Buffer
  #length = 0

  constructor(maxLength: number) {
    this.#bytes = Buffer.allocUnsafe(maxLength)
  }

  put(value: number): void {
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#length++] = (rest % 0x80) | 0x80
    this.#bytes[this.#length++] = rest
  }

  written(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }
}

/** The tables: 15-minute slots, and days. */
export type RollupTable = 'rollups' | 'day_sums'

const DIMENSIONS = ['bucket', 'key_id', 'model', 'provider', 'client', 'tag'] as const

/** Whether a row is of the sandbox, whose sample costs are in no sum. False where no provider is known. */
export const IS_SAMPLE = `provider IS '${SANDBOX_ID}'`

const BILLED_NANO = `iif(${IS_SAMPLE}, 0, cost_nano)`

/** Columns that are added up, by the name that a sum has in the code; and how one is computed from request rows. */
export const MEASURES = {
  requests: { column: 'requests', ofRows: 'count(*)' },
  tokensIn: { column: 'tokens_in', ofRows: 'sum(tokens_in)' },
  tokensOut: { column: 'tokens_out', ofRows: 'sum(tokens_out)' },
  tokensCached: {
    column: 'tokens_cached',
    ofRows: "sum(ifnull(usage ->> '$.cacheRead', 0))",
  },
  costNano: { column: 'cost_nano', ofRows: `coalesce(sum(${BILLED_NANO}), 0)` },
  worthNano: { column: 'worth_nano', ofRows: 'coalesce(sum(worth_nano), 0)' },
  savedNano: { column: 'saved_nano', ofRows: 'coalesce(sum(saved_nano), 0)' },
  errors: { column: 'errors', ofRows: "sum(status = 'failed')" },
  unpriced: { column: 'unpriced', ofRows: 'sum(cost_nano IS NULL)' },
} as const

export type Measures = Record<keyof typeof MEASURES, number>

export const MEASURE_NAMES = Object.keys(MEASURES) as (keyof Measures)[]
export const MEASURE_COLUMNS = Object.values(MEASURES).map(({ column }) => column)

export function addMeasures(sum: Measures, each: Measures): void {
  for (const name of MEASURE_NAMES) sum[name] += each[name]
}

/** How a measure is computed from rows of sums. */
export function sumOfSums(name: keyof Measures): string {
  return name === 'costNano' ? `sum(${BILLED_NANO})` : `sum(${MEASURES[name].column})`
}

/** Whether a row is of a settled request, which sums count. */
export const IS_SETTLED = "status NOT IN ('running', 'refused', 'rejected')"

/** The histograms of the requests that succeeded. */
export const TIMINGS_OF_ROWS =
  "sum_timings(iif(status = 'succeeded' AND saved_nano IS NULL, timings_of(total_us, first_byte_us), NULL))"

const MICROS_PER_MS = 1_000

/** The SQL functions that add up histograms. A connection that reads or writes sums needs them. */
export function defineTimings(db: Db): void {
  const toMs = (micros: number | null) => (micros === null ? null : micros / MICROS_PER_MS)
  db.function('timings_of', (totalUs: number | null, firstByteUs: number | null) =>
    encodeDurations(toMs(totalUs), toMs(firstByteUs)),
  )
  db.aggregate<(Uint8Array | null)[]>('sum_timings', {
    start: () => [],
    step: (all, encoded) => {
      if (encoded) all.push(encoded)
    },
    result: (all) => encodeTimings(sumTimings(all)),
  })
}

type Place = readonly [bucket: number, ...values: SqlValue[]]

/**
 * Adds a row to the one with the same dimensions. Histograms are added here and not by a function in SQL, which would take
 * twice as long.
 */
export function addToRollup(table: RollupTable) {
  const columns = [...DIMENSIONS, ...MEASURE_COLUMNS, 'timings']
  const sums = MEASURE_COLUMNS.map((column) => `${column} = ${column} + excluded.${column}`)
  const found = statement<SqlValue[], { timings: Uint8Array | null }>(`
    SELECT timings FROM ${table} WHERE (${DIMENSIONS.join(', ')}) = (${DIMENSIONS.map(() => '?').join(', ')})`)
  const add = statement<SqlValue[]>(`
    INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT DO UPDATE SET ${sums.join(', ')}, timings = excluded.timings`)
  return (db: Db, place: Place, measures: Measures, timings: Uint8Array | null): void => {
    const before = found(db).get(...place)?.timings
    const values = MEASURE_NAMES.map((name) => measures[name])
    add(db).run(...place, ...values, addEncodedTimings(before, timings))
  }
}

// The buckets of the rollups: 15-minute slots, and days of one time zone.

/** All UTC offsets in use are multiples of it, so days and months begin at the start of a slot. */
export const SLOT_15M_MS = 15 * 60_000

const UTC_DAY_MS = 24 * 60 * 60_000
const MAX_CACHED_DAYS = 1_000

const zone = statement<[], { value: string }>("SELECT value FROM meta WHERE name = 'day_zone'")
const putZone = statement<[string]>("UPDATE meta SET value = ? WHERE name = 'day_zone'")

/** The start of the 15-minute slot that contains `at`. */
export function findSlot15m(at: number): number {
  return Math.floor(at / SLOT_15M_MS) * SLOT_15M_MS
}

/** The start of the first 15-minute slot at or after `at`. */
export function slot15mFrom(at: number): number {
  return Math.ceil(at / SLOT_15M_MS) * SLOT_15M_MS
}

/** The IANA time zone of the daily rollups. */
export function rollupTimeZone(db: Db): string {
  const row = zone(db).get()
  if (!row)
    throw new StoreError('corrupt', 'The database does not contain the time zone of its daily rollups.')
  return row.value
}

/** Days by zone and by the UTC day they overlap: calling Intl would take longer than the rest of a charge. */
const cachedDays = new Map<string, Span[]>()

/** The slots of the day in which the slot of `at` begins. */
export function rollupDay(at: number, timeZone: string): Span {
  const slot = findSlot15m(at)
  const name = `${Math.floor(slot / UTC_DAY_MS)} ${timeZone}`
  const near = cachedDays.get(name)
  const known = near?.find(({ start, end }) => slot >= start && slot < end)
  if (known) return known
  const { start, end } = daySpan(slot, timeZone)
  const day = { start: slot15mFrom(start), end: slot15mFrom(end) }
  if (near) near.push(day)
  else {
    if (cachedDays.size >= MAX_CACHED_DAYS) cachedDays.clear()
    cachedDays.set(name, [day])
  }
  return day
}

const clear = statement<[]>('DELETE FROM day_sums')
const nextSlot15m = statement<[number], { bucket: number }>(
  'SELECT bucket FROM rollups WHERE bucket >= ? ORDER BY bucket LIMIT 1',
)
const insertDay = statement<{ day: number; start: number; end: number }>(`
  INSERT INTO day_sums (${[...DIMENSIONS, ...MEASURE_COLUMNS].join(', ')}, timings)
  SELECT CAST(@day AS INTEGER), key_id, model, provider, client, tag,
    ${MEASURE_COLUMNS.map((column) => `sum(${column})`).join(', ')}, sum_timings(timings)
  FROM rollups WHERE bucket >= @start AND bucket < @end GROUP BY key_id, model, provider, client, tag`)

/**
 * Sets the IANA time zone of the daily rollups. If it is a new one, all of them are rebuilt from the 15-minute rollups
 * and this returns true: with a million requests that takes seconds, while charges wait.
 */
export function setRollupTimeZone(db: Db, timeZone: string): boolean {
  if (rollupTimeZone(db) === timeZone) return false
  rebuildDays(db, timeZone)
  putZone(db).run(timeZone)
  return true
}

/** Makes the daily rollups of the 15-minute rollups. */
export function rebuildDays(db: Db, timeZone: string): void {
  clear(db).run()
  let from = Number.MIN_SAFE_INTEGER
  for (;;) {
    const next = nextSlot15m(db).get(from)
    if (!next) break
    const { start, end } = rollupDay(next.bucket, timeZone)
    insertDay(db).run({ day: start, start: next.bucket, end })
    from = end
  }
}
