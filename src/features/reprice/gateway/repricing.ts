import { setImmediate as nextTurn } from 'node:timers/promises'
import { DEFAULT_PATHS } from '../../../gateway/formats/chat/pass-through.ts'
import { addUsage } from '../../../gateway/formats/chat/usage.ts'
import type { Feature } from '../../../gateway/http/calls.ts'
import type { ApiKeys } from '../../../gateway/keys/api-keys.ts'
import type { Catalog } from '../../../gateway/models/catalog/catalog.ts'
import { notFound } from '../../../gateway/platform/errors.ts'
import type { AccountService } from '../../../gateway/spend/account.ts'
import type { Store } from '../../../gateway/store/store.ts'
import { hasSamplePrices } from '../../../shared/api/terms.ts'
import { nanoToUsd, nanoUsd } from '../../../shared/money/money.ts'
import type { RepricedModel, RepricedPart, Repricing, RepricingQuery } from '../api/repricing.ts'
import type { RequestGroup } from './group-rows.ts'
import { Candidate, type PricedGroups, priceGroups, sizeLimits } from './price-groups.ts'

interface RepricingDeps {
  store: Store
  catalog: Catalog
  account: AccountService
  keys: ApiKeys
}

/** How many candidates are priced before other work gets a turn. */
const CANDIDATES_PER_TURN = 2

/** Estimates the cost of the logged requests with other models, at current prices. */
export function createReprice(deps: RepricingDeps): Feature {
  return { handlers: { getRepricing: ({ query }) => reprice(deps, query) } }
}

/** Throws 404 for a candidate that is unknown or has no price. */
async function reprice(
  { store, catalog, account, keys }: RepricingDeps,
  { from, to, candidate: only, ...wanted }: RepricingQuery,
): Promise<Repricing> {
  const offers = catalog.chatOffers()
  const hasReal = offers.some(({ providerId, price }) => price !== null && !hasSamplePrices(providerId))
  // The sandbox's prices are samples: they are left out once there are others.
  const isShown = (providerId: string) => !hasReal || !hasSamplePrices(providerId)
  const sizes = sizeLimits(offers)
  const groups = await store.scan('groupRequests', {
    sizes,
    ...(from === undefined ? {} : { from: Date.parse(from) }),
    ...(to === undefined ? {} : { to: Date.parse(to) }),
  })
  const shown = groups.filter((group) => matches(group, wanted) && isShown(group.provider))
  const [chats, others] = partition(shown, ({ endpoint }) => endpoint === null || !NOT_CHATS.has(endpoint))
  const [priced, unpriced] = partition(chats, (group) => group.priced)
  const candidates = offers.flatMap((offer) =>
    offer.price && (only === undefined ? isShown(offer.providerId) : offer.id === only)
      ? [new Candidate(offer, offer.price, sizes)]
      : [],
  )
  if (only !== undefined && candidates.length === 0) {
    throw notFound(`There is no model "${only}" with a known price.`, { param: 'candidate' })
  }
  const { discountPercent } = account.plan
  const merged = mergeGroups(priced)
  const data: RepricedModel[] = []
  for (const [at, candidate] of candidates.entries()) {
    if (at % CANDIDATES_PER_TURN === 0) await nextTurn()
    const parts = only === undefined ? {} : divide(priced, candidate, discountPercent, keys)
    data.push({ ...createView(merged, candidate, discountPercent), ...parts })
  }
  return {
    requests: count(priced),
    chargedUsd: charged(priced),
    estimated: priced.reduce((sum, { estimated }) => sum + estimated, 0),
    unchecked: count(priced.filter(({ needs }) => needs === null)),
    unpriced: count(unpriced),
    others: { requests: count(others), chargedUsd: charged(others) },
    data: data.sort((a, b) => meanCost(a) - meanCost(b)),
  }
}

/** The costs with a model by key and by client, those that were charged most first. */
function divide(
  groups: readonly RequestGroup[],
  candidate: Candidate,
  discountPercent: number,
  keys: ApiKeys,
): Pick<RepricedModel, 'byKey' | 'byClient'> {
  const partsBy = (name: 'keyId' | 'client', getLabel: (group: string) => string): RepricedPart[] =>
    [...Map.groupBy(groups, (group) => group[name])]
      .map(([group, part]) => ({
        group,
        label: getLabel(group),
        ...computeSums(part, priceGroups(part, candidate, discountPercent)),
      }))
      .sort((a, b) => b.chargedUsd - a.chargedUsd)
  return {
    byKey: partsBy('keyId', (id) => keys.get(id)?.name ?? id),
    byClient: partsBy('client', (client) => client),
  }
}

const NOT_CHATS: ReadonlySet<string> = new Set(Object.values(DEFAULT_PATHS).map((path) => `POST /v1${path}`))

type GroupFilter = Pick<RepricingQuery, 'key' | 'client' | 'model' | 'tag'>

function matches(group: RequestGroup, { key, client, model, tag }: GroupFilter): boolean {
  return (
    (key === undefined || group.keyId === key) &&
    (client === undefined || group.client === client) &&
    (model === undefined || group.model === model) &&
    (tag === undefined || group.tag === tag)
  )
}

function partition<T>(list: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [list.filter(test), list.filter((item) => !test(item))]
}

/** The groups without who made the requests: far fewer to be priced on every model. */
function mergeGroups(groups: readonly RequestGroup[]): RequestGroup[] {
  const merged = new Map<string, RequestGroup>()
  for (const group of groups) {
    const { model, provider, tier, needs, rare, prompt, output, total } = group
    const place = [model, provider, tier, needs, rare, prompt, output, total].join('\n')
    const mergedGroup = merged.get(place)
    if (mergedGroup) {
      mergedGroup.requests += group.requests
      mergedGroup.estimated += group.estimated
      mergedGroup.chargedNano += group.chargedNano
      addUsage(mergedGroup.usage, group.usage)
    } else merged.set(place, { ...group, usage: { ...group.usage } })
  }
  return [...merged.values()]
}

function createView(
  groups: readonly RequestGroup[],
  candidate: Candidate,
  discountPercent: number,
): RepricedModel {
  const { offer, price } = candidate
  const priced = priceGroups(groups, candidate, discountPercent)
  return {
    model: offer.id,
    provider: offer.providerId,
    priceOrigin: price.origin,
    cachePriced: price.pricing.cacheReadPerMillion !== undefined,
    limitsKnown: offer.capabilitiesKnown && offer.contextWindow !== null,
    ...computeSums(groups, priced),
    obstacles: [...priced.obstacles].map(([reason, requests]) => ({ reason, requests })),
    unchecked: priced.unchecked,
    converted: priced.converted,
  }
}

function computeSums(
  groups: readonly RequestGroup[],
  { served, chargedNano, costNano, uncachedNano }: PricedGroups,
) {
  return {
    requests: count(groups),
    served,
    chargedUsd: nanoToUsd(chargedNano),
    costUsd: nanoToUsd(costNano),
    uncachedUsd: nanoToUsd(uncachedNano),
  }
}

function count(groups: readonly RequestGroup[]): number {
  return groups.reduce((sum, { requests }) => sum + requests, 0)
}

function charged(groups: readonly RequestGroup[]): number {
  return nanoToUsd(nanoUsd(groups.reduce((sum, { chargedNano }) => sum + chargedNano, 0)))
}

/** A model that could have served nothing comes last. */
function meanCost({ costUsd, served }: RepricedModel): number {
  return served === 0 ? Number.POSITIVE_INFINITY : costUsd / served
}
