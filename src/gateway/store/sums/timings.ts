// How long requests took, as a histogram that can be added up and takes a few bytes: two of them, in one BLOB.
//
// Bin n counts durations from 0.1 ms · 1.1ⁿ up to the next bin's beginning, so that the geometric middle of a bin is at most
// 4.9 % away from any duration in it. Bin 0 has the shorter ones too, and bin 255 (3.6e6 seconds) the longer ones.
//
// The BLOB has, for each histogram, the number of its bins and then for each bin its number and its count; all are variable
// length integers (LEB128), and bins are in order. This form is in databases: it must not change.
import type { Db } from '../sql/statement.ts'

export interface Timings {
  /** Milliseconds from the request to the end of the response. */
  total: Histogram
  /** Milliseconds from the first attempt to the first byte of the response. */
  firstByte: Histogram
}

/** The bins that have a count, in order, each followed by it. */
type Histogram = readonly number[]

const FIRST_MS = 0.1
const GROWTH = Math.log(1.1)
const BINS = 256

/** The histograms of one request, as a BLOB; null without a duration. */
export function encodeDurations(totalMs: number | null, firstByteMs: number | null): Buffer | null {
  return encodeTimings({ total: countDuration(totalMs), firstByte: countDuration(firstByteMs) })
}

function countDuration(ms: number | null): Histogram {
  if (ms === null) return []
  const bin = Math.floor(Math.log(ms / FIRST_MS) / GROWTH)
  return [Math.min(Math.max(bin, 0), BINS - 1), 1]
}

/** The number of durations. */
export function sumCounts(histogram: Histogram): number {
  return histogram.reduce((sum, count, at) => sum + (at % 2) * count, 0)
}

/** The duration in milliseconds that `share` of the counted ones do not exceed (nearest rank); null for none. */
export function percentile(histogram: Histogram, share: number): number | null {
  let rank = Math.max(Math.ceil(sumCounts(histogram) * share), 1)
  for (let at = 0; at < histogram.length; at += 2) {
    const [bin = 0, count = 0] = histogram.slice(at, at + 2)
    rank -= count
    // Three significant digits, as more would be invented.
    if (rank <= 0) return Number((FIRST_MS * Math.exp(GROWTH * (bin + 0.5))).toPrecision(3))
  }
  return null
}

function encodeTimings({ total, firstByte }: Timings): Buffer | null {
  if (total.length + firstByte.length === 0) return null
  const bytes: number[] = []
  for (const numbers of [total, firstByte]) {
    pushNumber(bytes, numbers.length / 2)
    for (const number of numbers) pushNumber(bytes, number)
  }
  return Buffer.from(bytes)
}

function pushNumber(bytes: number[], value: number): void {
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  bytes.push(rest)
}

/** Adds up BLOBs. */
export function sumTimings(all: readonly (Uint8Array | null | undefined)[]): Timings {
  const total = new Array<number>(BINS).fill(0)
  const firstByte = new Array<number>(BINS).fill(0)
  for (const encoded of all) {
    if (!encoded) continue
    const end = addCounts(total, encoded, 0)
    addCounts(firstByte, encoded, end)
  }
  return { total: listBins(total), firstByte: listBins(firstByte) }
}

/** Adds the histogram that begins at `start`. Returns where it ends. */
function addCounts(counts: number[], encoded: Uint8Array, start: number): number {
  let at = start
  const readNumber = () => {
    let value = 0
    for (let factor = 1; ; factor *= 0x80) {
      const byte = encoded[at++] ?? 0
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
  }
  for (let left = readNumber(); left > 0; left--) {
    const bin = readNumber()
    counts[bin] = (counts[bin] ?? 0) + readNumber()
  }
  return at
}

function listBins(counts: readonly number[]): Histogram {
  const bins: number[] = []
  for (let bin = 0; bin < BINS; bin++) {
    const count = counts[bin]
    if (count) bins.push(bin, count)
  }
  return bins
}

/** The sum of two BLOBs as a BLOB. */
export function addEncodedTimings(
  a: Uint8Array | null | undefined,
  b: Uint8Array | null | undefined,
): Uint8Array | null {
  return a && b ? encodeTimings(sumTimings([a, b])) : (a ?? b ?? null)
}

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
