// The jobs of the benchmark's load generator, which is a separate process.

/** Something that answers chat completions. */
export interface Target {
  name: string
  /** Where chat completions are posted. */
  url: string
  headers: Record<string, string>
  model: string
  /** Its process. */
  pid: number
  /** It speaks TLS with the certificate for tests, which is signed by itself. */
  hasTestCertificate?: boolean
}

/** Clients that wait for each response before their next request; with a rate, a request begins at its time on a free one. */
export interface RequestsJob {
  kind: 'requests'
  target: Target
  /** More targets: clients take them in turn. */
  others?: readonly Target[]
  requests: number
  clients: number
  stream: boolean
  /** Requests that begin in a second. Their times are measured from when they should begin. */
  perSecond?: number
  /** The upstream answers after so many milliseconds; immediately when absent. */
  answerMs?: number
}

/** Streams of which each gets a chunk every `intervalMs`. They are opened during `rampMs` and then measured for `measureMs`. */
export interface PacedJob {
  kind: 'paced'
  target: Target
  streams: number
  intervalMs: number
  rampMs: number
  measureMs: number
}

export type Job = RequestsJob | PacedJob

/** Milliseconds. */
export interface Quantiles {
  p50: number
  p99: number
}

export interface RequestsMeasurement {
  /** Requests per second. */
  rate: number
  /** The time from the request to the first byte of the answer's body. */
  firstByte: Quantiles
  /** The time from the request to the last byte. */
  total: Quantiles
  /**
   * The time from the client's request to its arrival upstream, and from the upstream's answer to its end at the client.
   * Plain only.
   */
  there: Quantiles
  back: Quantiles
}

export interface PacedFigures {
  /** Received while measuring. */
  chunks: number
  /** The time from the moment a chunk was sent upstream to its arrival at the client, in milliseconds. */
  p50: number
  p99: number
  p999: number
  max: number
  /** The number of chunks that took more than 50 ms. */
  late: number
}

export interface Results {
  requests: RequestsMeasurement
  paced: PacedFigures
}

/** The load generator's messages: the start and the end of what is measured, then the result. */
export type LoadMessage =
  | { type: 'begin' }
  | { type: 'end' }
  | { type: 'measured'; measured: Results[Job['kind']] }
  | { type: 'failed'; reason: string }
