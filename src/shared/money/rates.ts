// The price of each unit that a request can be billed for.
import { PRICED_TIERS, type Pricing } from '../api/models.ts'
import { type BilledPart, NO_BUCKETS } from '../api/usage-buckets.ts'

/** USD per million of each. */
export type Rates = Readonly<Record<BilledPart, number>> & {
  /** The parts without a known price: tokens are charged like similar ones, other units not at all. */
  assumed?: readonly BilledPart[]
}

interface Rule {
  billed: BilledPart
  /** USD per million; undefined where the price does not say. */
  rate(pricing: Pricing): number | undefined
  /** The part whose price applies to tokens without one. */
  like?: BilledPart
  /** Whether that is only a guess. */
  guess?: true
}

/**
 * The cost of a cache write for an hour, in writes for five minutes. Only Anthropic has both: 2 and 1.25 times the input.
 */
const HOUR_WRITE_FACTOR = 1.6

const thousand = (price: number | undefined) => scaled(price, 1_000)
const scaled = (price: number | undefined, factor: number, divisor = 1) =>
  price === undefined ? undefined : (price * factor) / divisor

/** A rule comes after the one that it refers to. */
const TOKEN_RULES: readonly Rule[] = [
  { billed: 'input', rate: (pricing) => pricing.inputPerMillion },
  { billed: 'output', rate: (pricing) => pricing.outputPerMillion },
  { billed: 'cacheRead', rate: (pricing) => pricing.cacheReadPerMillion, like: 'input' },
  { billed: 'cacheWrite5m', rate: (pricing) => pricing.cacheWritePerMillion, like: 'input' },
  {
    billed: 'cacheWrite1h',
    rate: (pricing) =>
      pricing.cacheWriteHourPerMillion ?? scaled(pricing.cacheWritePerMillion, HOUR_WRITE_FACTOR),
    like: 'input',
  },
  { billed: 'audioInput', rate: (pricing) => pricing.audioInputPerMillion, like: 'input', guess: true },
  { billed: 'audioOutput', rate: (pricing) => pricing.audioOutputPerMillion, like: 'output', guess: true },
  {
    billed: 'cacheReadAudio',
    rate: (pricing) => pricing.cacheReadAudioPerMillion,
    like: 'cacheRead',
    guess: true,
  },
  { billed: 'imageInput', rate: (pricing) => pricing.imageInputPerMillion, like: 'input' },
  { billed: 'imageOutput', rate: (pricing) => pricing.imageOutputPerMillion, like: 'output' },
  { billed: 'cacheReadImage', rate: (pricing) => pricing.cacheReadImagePerMillion, like: 'cacheRead' },
]

const UNIT_RULES: readonly Rule[] = [
  { billed: 'audioSeconds', rate: ({ perAudioMinute }) => scaled(perAudioMinute, 1_000_000, 60) },
  { billed: 'characters', rate: ({ perMillionCharacters }) => perMillionCharacters },
  { billed: 'images', rate: ({ perImage }) => scaled(perImage, 1_000_000) },
  { billed: 'searches', rate: ({ perThousandSearches }) => thousand(perThousandSearches) },
  { billed: 'webSearches', rate: ({ perThousandWebSearches }) => thousand(perThousandWebSearches) },
  { billed: 'fileSearches', rate: ({ perThousandFileSearches }) => thousand(perThousandFileSearches) },
  { billed: 'requests', rate: ({ perThousandRequests = 0 }) => thousand(perThousandRequests) },
]

/** The rates of a price, in the standard tier or in another one (`service_tier`). */
export function getRates(pricing: Pricing, tier?: string): Rates {
  const rates: Partial<Record<BilledPart, number>> = {}
  const assumed: BilledPart[] = []
  const factor = tierFactor(pricing, tier)
  for (const { billed, rate, like, guess } of TOKEN_RULES) {
    const known = rate(pricing)
    const perMillion = known === undefined ? ((like && rates[like]) ?? 0) : known * (factor ?? 1)
    rates[billed] = perMillion
    if (perMillion > 0 && (factor === null || (known === undefined && guess))) assumed.push(billed)
  }
  for (const { billed, rate } of UNIT_RULES) {
    const known = rate(pricing)
    rates[billed] = known ?? 0
    if (known === undefined) assumed.push(billed)
  }
  return { ...EMPTY, ...rates, assumed }
}

/**
 * The highest of several rates, with what else the prompt and the answer can be billed as: writing a prompt into a cache can
 * cost more than uncached input.
 */
export function computeMaxRates(all: readonly [Rates, ...Rates[]]): Rates {
  const highest = (...names: readonly Exclude<BilledPart, 'requests'>[]) =>
    Math.max(...all.flatMap((rates) => names.map((name) => rates[name])))
  return {
    ...all[0],
    input: highest('input', 'cacheWrite5m', 'cacheWrite1h', 'audioInput', 'imageInput'),
    output: highest('output', 'audioOutput', 'imageOutput'),
  }
}

/** Null for a tier without a known price. */
function tierFactor({ tierFactors }: Pricing, tier: string | undefined): number | null {
  if (tier === undefined) return 1
  const known = PRICED_TIERS.find((name) => name === tier)
  return (known && tierFactors?.[known]) ?? null
}

const { reasoning: _partOfOutput, ...noBilled } = NO_BUCKETS
const EMPTY: Rates = { ...noBilled, requests: 0 }
