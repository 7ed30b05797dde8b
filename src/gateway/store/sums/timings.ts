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
