import { addUsage, BUCKET_NAMES } from '../../../gateway/formats/chat/usage.ts'
import {
  convertTokens,
  findTokenFactor,
  findVendorId,
  TOKEN_FACTORS,
} from '../../../gateway/models/catalog/model-families.ts'
import type { Offer } from '../../../gateway/models/catalog/offers.ts'
import type { Price } from '../../../gateway/models/catalog/price-bands.ts'
import { getOrCreate } from '../../../gateway/platform/maps.ts'
import { costOfSums, isStated, type SummedUsage } from '../../../gateway/spend/cost.ts'
import type { UsageBuckets } from '../../../shared/api/requests.ts'
import { REQUEST_NEEDS } from '../../../shared/api/terms.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import type { RepricingObstacle } from '../api/repricing.ts'
import type { RequestGroup, SizeLimits } from './group-rows.ts'

/** A model with a known price, and what decides which requests it could have served. */
export class Candidate {
  readonly offer: Offer
  readonly price: Price
  readonly factor: number
  /** The token factors of the models that served. */
  readonly #factors = new Map<string, number>()
  readonly #sizes: ReadonlyMap<number, CandidateSizes>

  constructor(offer: Offer, price: Price, limits: SizeLimits) {
    this.offer = offer
    this.price = price
    this.factor = findTokenFactor(offer.vendorModel)
    this.#sizes = new Map(TOKEN_FACTORS.map((served) => [served, computeSizes(offer, served, limits)]))
  }

  served({ model, provider }: Pick<RequestGroup, 'model' | 'provider'>): boolean {
    return provider === this.offer.providerId && model === this.offer.id
  }

  /** The first reason why it could not have served the requests; null if it could. */
  obstacle(group: RequestGroup): RepricingObstacle | null {
    if (this.served(group)) return null
    const needs = group.needs ?? 0
    const { usage } = group
    if (needs & REQUEST_NEEDS.ownApi && group.provider !== this.offer.providerId) return 'own_api'
    if ((needs & REQUEST_NEEDS.vision || usage.imageInput) && this.#lacks('vision')) return 'vision'
    if (needs & REQUEST_NEEDS.tools && this.#lacks('tools')) return 'tools'
    if (needs & REQUEST_NEEDS.json && this.#lacks('json')) return 'json'
    if (usage.imageOutput && !this.offer.capabilities.includes('images')) return 'images'
    // It may not be able to do things that it has no price for, such as audio or searches of the web.
    if (!isStated(usage, this.price.rates(0))) return 'unit'
    const { output, window } = this.#sizesFor(group)
    if (group.output > output) return 'output'
    return group.total > window ? 'context' : null
  }

  /** Whether an obstacle may not have been recorded. */
  isUnchecked({ needs, ...group }: RequestGroup): boolean {
    const lacksAny = this.#lacks('vision') || this.#lacks('tools') || this.#lacks('json')
    return needs === null && lacksAny && !this.served({ ...group })
  }

  /** A prompt length at which the price is that of the group's prompts. */
  promptIn(group: RequestGroup): number {
    const { bands } = this.#sizesFor(group)
    const at = bands.findLastIndex((limit) => group.prompt > limit)
    return at < 0 ? 0 : (this.price.bands[at + 1]?.above ?? 0) + 1
  }

  #lacks(capability: 'vision' | 'tools' | 'json'): boolean {
    return this.offer.capabilitiesKnown && !this.offer.capabilities.includes(capability)
  }

  /** The token factor of the model that served the requests. */
  computeFactor(group: RequestGroup): number {
    if (this.served(group)) return this.factor
    return getOrCreate(this.#factors, group.model, () => findTokenFactor(findVendorId(group.model)))
  }

  #sizesFor(group: RequestGroup): CandidateSizes {
    const sizes = this.#sizes.get(this.computeFactor(group))
    if (!sizes) throw new Error(`the token factor of ${group.model} is in no table`)
    return sizes
  }
}

// Which sizes of requests make a difference: the ends of price bands, context windows and output limits. The store only says
// between which of them a request lies.

/** The largest sizes at which nothing changes, for requests whose model had other tokens. */
interface CandidateSizes {
  /** The classes of prompts from which each further price band counts. */
  bands: readonly number[]
  /** The highest class that the context window, and the output limit, has room for. */
  window: number
  output: number
}

/** The limits of all offers, in the tokens of whichever model served. */
export function sizeLimits(offers: readonly Offer[]): SizeLimits {
  const limits = { prompt: new Set<number>(), output: new Set<number>(), total: new Set<number>() }
  const add = (to: Set<number>, limit: number | null, factor: number) => {
    if (limit !== null) for (const served of TOKEN_FACTORS) to.add(largestWithin(limit, served, factor))
  }
  for (const { price, contextWindow, maxOutputTokens, vendorModel } of offers) {
    const factor = findTokenFactor(vendorModel)
    for (const { above } of price?.bands.slice(1) ?? []) add(limits.prompt, above, factor)
    add(limits.total, contextWindow, factor)
    add(limits.output, maxOutputTokens, factor)
  }
  return { prompt: sorted(limits.prompt), output: sorted(limits.output), total: sorted(limits.total) }
}

/** The limits of an offer for requests that were served by a model with the token factor `served`. */
function computeSizes(
  { price, contextWindow, maxOutputTokens, vendorModel }: Offer,
  served: number,
  limits: SizeLimits,
): CandidateSizes {
  const factor = findTokenFactor(vendorModel)
  const classIn = (list: readonly number[], limit: number | null) =>
    limit === null ? Number.POSITIVE_INFINITY : list.indexOf(largestWithin(limit, served, factor))
  return {
    bands: (price?.bands.slice(1) ?? []).map(({ above }) => classIn(limits.prompt, above)),
    window: classIn(limits.total, contextWindow),
    output: classIn(limits.output, maxOutputTokens),
  }
}

/** The most tokens of the model that served which are at most `limit` tokens of the other. */
function largestWithin(limit: number, served: number, factor: number): number {
  let tokens = convertTokens(limit, factor, served)
  while (convertTokens(tokens, served, factor) > limit) tokens -= 1
  while (convertTokens(tokens + 1, served, factor) <= limit) tokens += 1
  return tokens
}

function sorted(numbers: ReadonlySet<number>): number[] {
  return [...numbers].sort((a, b) => a - b)
}

/** The cost of requests with a candidate, as far as it could have served them. */
export interface PricedGroups {
  served: number
  obstacles: ReadonlyMap<RepricingObstacle, number>
  /** Served ones of which it is not known what they asked for. */
  unchecked: number
  /** Served ones whose tokens were converted. */
  converted: number
  /** The charges of the served ones. */
  chargedNano: NanoUsd
  /** The cost with the same hits of a cache, and without any. */
  costNano: NanoUsd
  uncachedNano: NanoUsd
}

/** Requests with the same rates. */
interface Sum {
  prompt: number
  tier: string | undefined
  /** Served by the candidate itself, so that its cache was the same. */
  same: boolean
  requests: number
  usage: UsageBuckets
}

export function priceGroups(
  groups: readonly RequestGroup[],
  candidate: Candidate,
  discountPercent: number,
): PricedGroups {
  const obstacles = new Map<RepricingObstacle, number>()
  const sums = new Map<string, Sum>()
  const counts = { served: 0, unchecked: 0, converted: 0, chargedNano: 0 }
  for (const group of groups) {
    const obstacle = candidate.obstacle(group)
    if (obstacle) {
      obstacles.set(obstacle, (obstacles.get(obstacle) ?? 0) + group.requests)
      continue
    }
    const factor = candidate.computeFactor(group)
    counts.served += group.requests
    counts.chargedNano += group.chargedNano
    if (candidate.isUnchecked(group)) counts.unchecked += group.requests
    if (factor !== candidate.factor) counts.converted += group.requests
    const sum = sumFor(sums, group, candidate)
    sum.requests += group.requests
    addUsage(sum.usage, convertUsage(group.usage, factor, candidate.factor))
  }
  const all = [...sums.values()]
  const computeCost = (getUsage: (sum: Sum) => UsageBuckets) =>
    costOfSums(
      all.map((sum): SummedUsage => {
        const rates = candidate.price.rates(sum.prompt, sum.tier)
        return { usage: getUsage(sum), rates, requests: sum.requests }
      }),
      discountPercent,
    )
  return {
    ...counts,
    obstacles,
    chargedNano: nanoUsd(counts.chargedNano),
    costNano: computeCost(({ usage }) => usage),
    uncachedNano: computeCost(({ same, usage }) => (same ? usage : withoutCache(usage))),
  }
}

function sumFor(sums: Map<string, Sum>, group: RequestGroup, candidate: Candidate): Sum {
  const prompt = candidate.promptIn(group)
  const same = candidate.served(group)
  const tier = group.tier ?? undefined
  const create = (): Sum => ({ prompt, tier, same, requests: 0, usage: { ...NO_USAGE } })
  return getOrCreate(sums, `${prompt} ${same} ${tier}`, create)
}

/** Buckets that are not tokens, and so are the same with every model. */
const UNITS: ReadonlySet<string> = new Set<keyof UsageBuckets>([
  ...(['audioSeconds', 'characters', 'images', 'searches', 'webSearches', 'fileSearches'] as const),
])

function convertUsage(usage: UsageBuckets, from: number, to: number): UsageBuckets {
  if (from === to) return usage
  const converted = { ...usage }
  for (const name of BUCKET_NAMES) {
    const count = usage[name]
    if (count !== undefined && !UNITS.has(name)) converted[name] = convertTokens(count, from, to)
  }
  return converted
}

/** The prompt without a cache: tokens read from it or written to it are input of their kind. */
function withoutCache(usage: UsageBuckets): UsageBuckets {
  const { cacheRead, cacheWrite5m, cacheWrite1h, cacheReadAudio, cacheReadImage = 0 } = usage
  const text = cacheRead - cacheReadAudio - cacheReadImage
  const { imageInput = 0 } = usage
  return {
    ...usage,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    cacheReadAudio: 0,
    cacheReadImage: 0,
    input: usage.input + text + cacheWrite5m + cacheWrite1h,
    audioInput: usage.audioInput + cacheReadAudio,
    imageInput: imageInput + cacheReadImage,
  }
}
