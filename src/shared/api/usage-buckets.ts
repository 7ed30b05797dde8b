// The units that a request is billed for, and their names. It loads no schemas: the thread of the store needs it.
import { t } from 'ttag'
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

const TOKENS: BilledUnit = { name: t`tokens`, per: 1e6, perName: t`million` }
const IMAGES: BilledUnit = { name: t`images`, per: 1, perName: t`image` }
const SEARCHES: BilledUnit = { name: t`searches`, per: 1000, perName: t`thousand` }

export const BILLED_NAMES: Readonly<Record<BilledPart, readonly [label: string, unit: BilledUnit]>> = {
  input: [t`Input`, TOKENS],
  cacheRead: [t`Cache read`, TOKENS],
  cacheReadAudio: [t`Cache read, audio`, TOKENS],
  cacheReadImage: [t`Cache read, images`, TOKENS],
  cacheWrite5m: [t`Cache write`, TOKENS],
  cacheWrite1h: [t`Cache write, 1 hour`, TOKENS],
  audioInput: [t`Audio input`, TOKENS],
  imageInput: [t`Image input`, TOKENS],
  output: [t`Output`, TOKENS],
  audioOutput: [t`Audio output`, TOKENS],
  imageOutput: [t`Image output`, TOKENS],
  audioSeconds: [t`Audio`, { name: t`seconds`, per: 60, perName: t`minute` }],
  characters: [t`Speech`, { name: t`characters`, per: 1e6, perName: t`million` }],
  images: [t`Images`, IMAGES],
  searches: [t`Searches`, SEARCHES],
  webSearches: [t`Web searches`, SEARCHES],
  fileSearches: [t`File searches`, SEARCHES],
  requests: [t`Fee`, { name: t`calls`, per: 1000, perName: t`thousand` }],
}
