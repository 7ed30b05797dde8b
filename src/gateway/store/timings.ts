// How long requests took, as a histogram that can be added up and takes a few bytes: two of them, in one BLOB.
//
// Bin n counts durations from 0.1 ms · 1.1ⁿ up to the next bin's beginning, so that the geometric middle of a bin is at most
// 4.9 % away from any duration in it. Bin 0 has the shorter ones too, and bin 255 (3.6e6 seconds) the longer ones.
//
// The BLOB has, for each histogram, the number of its bins and then for each bin its number and its count; all are variable
// length integers (LEB128). This form is in databases: it must not change.

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

export function noTimings(): Timings {
  return { total: new Map(), firstByte: new Map() }
}

export function addDuration(histogram: Histogram, ms: number | null): void {
  if (ms !== null) addCount(histogram, binOf(ms), 1)
}

function binOf(ms: number): number {
  const bin = Math.floor(Math.log(ms / FIRST_MS) / GROWTH)
  return Math.min(Math.max(bin, 0), LAST_BIN)
}

function addCount(histogram: Histogram, bin: number, count: number): void {
  histogram.set(bin, (histogram.get(bin) ?? 0) + count)
}

export function addTimings(sum: Timings, { total, firstByte }: Timings): void {
  for (const [bin, count] of total) addCount(sum.total, bin, count)
  for (const [bin, count] of firstByte) addCount(sum.firstByte, bin, count)
}

/** The duration in milliseconds that `share` of the counted ones do not exceed (nearest rank); null for none. */
export function percentile(histogram: Histogram, share: number): number | null {
  const bins = [...histogram].sort(([a], [b]) => a - b)
  const all = bins.reduce((sum, [, count]) => sum + count, 0)
  let rank = Math.max(Math.ceil(all * share), 1)
  for (const [bin, count] of bins) {
    rank -= count
    if (rank <= 0) return middleOf(bin)
  }
  return null
}

/** To three significant digits, as more would be invented. */
function middleOf(bin: number): number {
  return Number((FIRST_MS * Math.exp(GROWTH * (bin + 0.5))).toPrecision(3))
}

/** NULL for no request. */
export function encodeTimings({ total, firstByte }: Timings): Buffer | null {
  if (total.size === 0 && firstByte.size === 0) return null
  const bytes: number[] = []
  for (const histogram of [total, firstByte]) {
    putNumber(bytes, histogram.size)
    for (const [bin, count] of histogram) {
      putNumber(bytes, bin)
      putNumber(bytes, count)
    }
  }
  return Buffer.from(bytes)
}

/** Adds up what `encodeTimings` returned. */
export function sumTimings(all: readonly (Uint8Array | null | undefined)[]): Timings {
  const sum = noTimings()
  for (const encoded of all) if (encoded) addEncoded(sum, encoded)
  return sum
}

/** The sum of two encoded ones. */
export function addEncodedTimings(a: Uint8Array | null | undefined, b: Uint8Array | null): Uint8Array | null {
  return a && b ? encodeTimings(sumTimings([a, b])) : (a ?? b)
}

function addEncoded(sum: Timings, encoded: Uint8Array): void {
  let at = 0
  const nextNumber = () => {
    let value = 0
    for (let factor = 1; ; factor *= 0x80) {
      const byte = encoded[at++] ?? 0
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
  }
  for (const histogram of [sum.total, sum.firstByte])
    for (let left = nextNumber(); left > 0; left--) addCount(histogram, nextNumber(), nextNumber())
}

function putNumber(bytes: number[], value: number): void {
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  bytes.push(rest)
}
