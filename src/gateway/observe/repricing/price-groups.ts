import type { RepricingObstacle } from '../../../shared/api/repricing.ts'
import type { UsageBuckets } from '../../../shared/api/requests.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import { addUsage, BUCKET_NAMES } from '../../formats/chat/usage.ts'
import { convertTokens } from '../../models/catalog/model-families.ts'
import type { EventHub } from '../../platform/events.ts'
import { costOfSums, type SummedUsage } from '../../spend/cost.ts'
import type { RequestGroup, RequestGroupFilter, Store } from '../../store/store.ts'
import type { Candidate } from './candidate.ts'

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
  const place = `${prompt} ${same} ${tier}`
  let sum = sums.get(place)
  if (!sum) {
    sum = { prompt, tier, same, requests: 0, usage: { ...NO_USAGE } }
    sums.set(place, sum)
  }
  return sum
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

const KEPT_MS = 60_000

/**
 * The groups that were read last. Reading a million requests takes seconds, and a user looks at them again and again: by
 * other keys, and with other models. They are kept until a request of their time changes.
 */
export class RecentGroups {
  readonly #store: Pick<Store, 'read'>
  readonly #events: EventHub
  #kept: { name: string; groups: Promise<readonly RequestGroup[]> } | null = null
  #unsubscribe: (() => void) | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(store: Pick<Store, 'read'>, events: EventHub) {
    this.#store = store
    this.#events = events
  }

  read(filter: RequestGroupFilter): Promise<readonly RequestGroup[]> {
    const name = JSON.stringify(filter)
    if (this.#kept?.name === name) return this.#kept.groups
    this.#forget()
    // Events make work for every request, so there is a listener only while something is kept.
    this.#unsubscribe = this.#events.subscribe(
      (event) => {
        if (event.type === 'request' && isWithin(Date.parse(event.request.createdAt), filter)) this.#forget()
      },
      { types: ['request'] },
    )
    this.#timer = setTimeout(() => this.#forget(), KEPT_MS).unref()
    const groups = this.#store.read('groupRequests', filter)
    this.#kept = { name, groups }
    groups.catch(() => this.#forget())
    return groups
  }

  #forget(): void {
    this.#kept = null
    this.#unsubscribe?.()
    this.#unsubscribe = null
    clearTimeout(this.#timer)
  }
}

function isWithin(at: number, { from = 0, to = Number.POSITIVE_INFINITY }: RequestGroupFilter): boolean {
  return at >= from && at < to
}
