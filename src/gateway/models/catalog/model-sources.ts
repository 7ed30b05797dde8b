import { z } from 'zod'
import { Capability, ModelId, type ModelOverride, Pricing } from '../../../shared/api/models.ts'
import { isPlan, SANDBOX_ID } from '../../../shared/api/terms.ts'
import { getOrCreate } from '../../platform/maps.ts'
import { hasBuiltInModels, sandboxModels } from '../../sandbox/models.ts'
import type { StoredModelOverride, StoredProvider, StoredProviderModel } from '../../store/store.ts'
import type { ProviderRegistry } from '../providers/registry.ts'

/** A model's details in a provider's list, as stored. */
export const Listing = z.object({
  name: z.string().optional(),
  created: z.number().optional(),
  contextWindow: z.number().optional(),
  maxOutputTokens: z.number().optional(),
  capabilities: z.array(Capability).optional(),
  pricing: Pricing.optional(),
  vendorModel: z.string().optional(),
  retiresOn: z.string().optional(),
})
export type Listing = z.infer<typeof Listing>

/** That a provider offers a model. */
export interface OfferSource {
  /** The id that clients use. */
  id: string
  provider: StoredProvider
  /** The provider's id of the model. */
  modelId: string
  /** Details in the provider's list; empty for a model that is not listed. */
  listing: Listing
  override: ModelOverride | null
}

type Overrides = ReadonlyMap<string, ModelOverride>

/** The offers by the ids of models, without those that pin a provider. */
export type OfferSources = ReadonlyMap<string, readonly OfferSource[]>

interface ModelSourcesDeps {
  providers: ProviderRegistry
  models: readonly StoredProviderModel[]
  overrides: readonly StoredModelOverride[]
}

/** Which enabled providers offer which models: their lists, and the user's overrides. */
export class ModelSources {
  readonly #providers: ProviderRegistry
  readonly #listings = new Map<string, Map<string, Listing>>()
  #overrides: Overrides
  #all: OfferSources | null = null

  constructor({ providers, models, overrides }: ModelSourcesDeps) {
    this.#providers = providers
    this.#overrides = new Map(overrides.map(({ id, override }) => [id, override]))
    for (const { providerId, modelId, info } of models) {
      if (!ModelId.safeParse(modelId).success) continue
      const listing = Listing.safeParse(info)
      getOrCreate(this.#listings, providerId, () => new Map()).set(
        modelId,
        listing.success ? listing.data : {},
      )
    }
    this.#listings.set(SANDBOX_ID, new Map(sandboxModels.map((model) => [model.id, {}])))
    providers.onChange(() => {
      this.#all = null
    })
  }

  /** Returns the same object until something changes. */
  all(): OfferSources {
    this.#all ??= this.#read(this.#overrides)
    return this.#all
  }

  /**
   * Finds the sources of an id as clients write it: plain, or `provider/id`, which pins the provider. Includes disabled
   * models.
   */
  find(id: string): readonly OfferSource[] {
    return this.#find(id, this.all())
  }

  /** The enabled providers whose lists could not be read yet. */
  listUnread(): StoredProvider[] {
    return this.#providers.listEnabled().filter(isUnread)
  }

  setListings(providerId: string, models: readonly { id: string; info: Listing }[]): void {
    this.#listings.set(providerId, new Map(models.map((model) => [model.id, model.info])))
    this.#all = null
  }

  dropListings(providerId: string): void {
    this.#listings.delete(providerId)
    this.#all = null
  }

  modelCount(providerId: string): number {
    return this.#listings.get(providerId)?.size ?? 0
  }

  /** The user's override of the model; null if there is none. */
  override(id: string): ModelOverride | null {
    return this.#overrides.get(id) ?? null
  }

  /** Sets an override, or deletes it with null. */
  setOverride(id: string, override: ModelOverride | null): void {
    this.#overrides = withOverride(this.#overrides, id, override)
    this.#all = null
  }

  wouldBeOffered(id: string, override: ModelOverride): boolean {
    return this.#find(id, this.#read(withOverride(this.#overrides, id, override))).length > 0
  }

  /** Whether the user disabled the model, under this id or under the one that it pins. */
  isDisabled(id: string): boolean {
    const pinned = this.#pinnedBy(id)
    return [id, ...(pinned ? [pinned.modelId] : [])].some((each) => this.override(each)?.enabled === false)
  }

  /** The disabled provider that would otherwise offer the model. */
  findDisabledProvider(id: string): StoredProvider | null {
    const pinned = id.slice(0, Math.max(0, id.indexOf('/')))
    const named = this.override(id)?.provider
    return (
      this.#providers
        .listDisabled()
        .find(
          (provider) =>
            provider.id === pinned ||
            provider.id === named ||
            (named === undefined && this.#listings.get(provider.id)?.has(id)),
        ) ?? null
    )
  }

  #read(overrides: Overrides): OfferSources {
    const sources = new Map<string, OfferSource[]>()
    const add = (source: OfferSource) => getOrCreate(sources, source.id, () => []).push(source)
    for (const provider of this.#providers.listEnabled()) {
      for (const [modelId, listing] of this.#listings.get(provider.id) ?? []) {
        const override = overrides.get(modelId)
        if (override?.provider !== undefined && override.provider !== provider.id) continue
        add({ id: modelId, provider, modelId, listing, override: override ?? null })
      }
    }
    for (const [id, override] of overrides) {
      const provider = override.provider === undefined ? null : this.#providers.findEnabled(override.provider)
      if (!provider || sources.has(id)) continue
      const modelId = override.upstreamModel ?? id
      const listing = this.#listings.get(provider.id)?.get(modelId) ?? {}
      add({ id, provider, modelId, listing, override })
    }
    return sources
  }

  #pinnedBy(id: string) {
    const slash = id.indexOf('/')
    const provider = slash === -1 ? null : this.#providers.findEnabled(id.slice(0, slash))
    return provider && { provider, modelId: id.slice(slash + 1) }
  }

  #find(id: string, sources: OfferSources): readonly OfferSource[] {
    const pin = this.#pinnedBy(id)
    if (pin) {
      const { provider, modelId } = pin
      const pinned = (sources.get(modelId) ?? []).filter((source) => source.provider.id === provider.id)
      if (pinned.length > 0) return pinned
      const listing = this.#listings.get(provider.id)?.get(modelId)
      if (listing) return [{ id: modelId, provider, modelId, listing, override: null }]
      // While the provider's list could not be read yet, any id may be one of its models. A plan has none.
      const isOpen = isUnread(provider) || isPlan(provider.id)
      if (isOpen && ModelId.safeParse(modelId).success) return [createUnlisted(modelId, provider)]
    }
    return sources.get(id) ?? []
  }
}

function isUnread({ apiFormat, modelsFetchedAt }: StoredProvider): boolean {
  return modelsFetchedAt === null && !hasBuiltInModels(apiFormat)
}

/** A model that a provider may have, whose list could not be read. */
export function createUnlisted(id: string, provider: StoredProvider): OfferSource {
  return { id, provider, modelId: id, listing: {}, override: null }
}

function withOverride(overrides: Overrides, id: string, override: ModelOverride | null): Overrides {
  const others = [...overrides].filter(([each]) => each !== id)
  return new Map(override ? [...others, [id, override]] : others)
}
