// The names that users give to the units of a bill.
import type { BilledPart } from '../api/usage-buckets.ts'

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
