// The names that users give to the units of a bill.
import { t } from 'ttag'
import type { BilledPart } from '../api/usage-buckets.ts'

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
