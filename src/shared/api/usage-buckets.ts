// The units that a request is billed for, and their names. It loads no schemas: the thread of the store needs it.
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

// The names that users give to the units of a bill.

/** The counted unit, and the number of units that a price is for. */
export interface BilledUnit {
  name: string
  per: number
  perName: string
}

const TOKENS: BilledUnit = { name: 'tokens', per: 1e6, perName: 'million' }
const IMAGES: BilledUnit = { name: 'images', per: 1, perName: 'image' }
const SEARCHES: BilledUnit = { name: 'searches', per: 1000, perName: 'thousand' }

export const BILLED_NAMES: Readonly<Record<BilledPart, readonly [label: string, unit: BilledUnit]>> = {
  input: ['Input', TOKENS],
  cacheRead: ['Cache read', TOKENS],
  cacheReadAudio: ['Cache read, audio', TOKENS],
  cacheReadImage: ['Cache read, images', TOKENS],
  cacheWrite5m: ['Cache write', TOKENS],
  cacheWrite1h: ['Cache write, 1 hour', TOKENS],
  audioInput: ['Audio input', TOKENS],
  imageInput: ['Image input', TOKENS],
  output: ['Output', TOKENS],
  audioOutput: ['Audio output', TOKENS],
  imageOutput: ['Image output', TOKENS],
  audioSeconds: ['Audio', { name: 'seconds', per: 60, perName: 'minute' }],
  characters: ['Speech', { name: 'characters', per: 1e6, perName: 'million' }],
  images: ['Images', IMAGES],
  searches: ['Searches', SEARCHES],
  webSearches: ['Web searches', SEARCHES],
  fileSearches: ['File searches', SEARCHES],
  requests: ['Fee', { name: 'calls', per: 1000, perName: 'thousand' }],
}
