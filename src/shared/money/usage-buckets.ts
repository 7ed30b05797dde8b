// Loads no schemas: the thread of the store needs it.
import type { UsageBuckets } from '../api/requests.ts'

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
