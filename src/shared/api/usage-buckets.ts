// The units that a request is billed for. It loads neither schemas nor texts: the thread of the store needs it.
import type { UsageBuckets } from './requests.ts'

/** A unit with its own price. Reasoning is priced as output. */
export type BilledPart = Exclude<keyof UsageBuckets, 'reasoning'> | 'requests'

/** The buckets that are charged in full, in the order in which they are listed. */
export const BILLED_BUCKETS = [
  'input',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'audioInput',
  'imageInput',
  'output',
  'audioOutput',
  'imageOutput',
  'audioSeconds',
  'characters',
  'images',
  'searches',
  'webSearches',
  'fileSearches',
] as const satisfies readonly BilledPart[]

/** Parts of `cacheRead` with a price of their own. */
export const CACHED_PARTS = ['cacheReadAudio', 'cacheReadImage'] as const satisfies readonly BilledPart[]

/** A zero in the buckets that every usage has. */
export const NO_USAGE: Readonly<UsageBuckets> = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  output: 0,
  audioOutput: 0,
  reasoning: 0,
  cacheReadAudio: 0,
}

/** A zero in every bucket. */
export const NO_BUCKETS: Readonly<Record<keyof UsageBuckets, number>> = {
  ...NO_USAGE,
  imageInput: 0,
  imageOutput: 0,
  cacheReadImage: 0,
  audioSeconds: 0,
  characters: 0,
  images: 0,
  searches: 0,
  webSearches: 0,
  fileSearches: 0,
}
