// Rows of providers, their model lists and the model overrides.

import type { Network } from '../../../shared/api/account.ts'
import type { Authorization } from '../../../shared/api/authorization.ts'
import type { ModelOverride } from '../../../shared/api/models.ts'
import type { ProviderFormat } from '../../../shared/api/providers.ts'
import { type Db, statement } from '../sql/statement.ts'
import { created, defineTable, flag, json, option, type RowOf } from '../sql/table.ts'

const FIELDS = {
  id: created<string>(),
  name: created<string>(),
  apiFormat: created<ProviderFormat>(),
  baseUrl: option<string | null>(null),
  /** Null is the default of the provider, or of its API format. */
  authorization: option<Authorization | null>(null),
  /** Null is automatic. */
  enabled: option<boolean | null>(true, flag),
  priority: option<number>(100),
  connectTimeoutMs: option<number | null>(null),
  firstByteTimeoutMs: option<number | null>(null),
  stallTimeoutMs: option<number | null>(null),
  totalTimeoutMs: option<number | null>(null),
  /** Null: as the settings say. */
  network: option<Network | null>(null),
  promptCache: option<boolean>(true, flag),
  /** Null: as the vendor has it. */
  webSocket: option<boolean | null>(null, flag),
  headers: option<Record<string, string>>({}, json()),
  /** Names of further headers, whose values were put in the keychain. */
  secretHeaders: option<string[]>([], json()),
  /** How many credentials were put in the keychain: getting none from there means locked or lost. */
  credentialCount: option<number>(0),
  /** What each of them is known by; empty for those that were stored before they had ids. */
  credentialIds: option<readonly string[]>([], json()),
  spreadSessions: option<boolean>(false, flag),
  modelsFetchedAt: option<number | null>(null),
  createdAt: created<number>(),
}

export type StoredProvider = RowOf<typeof FIELDS>

/** The data of a provider's own list, which the catalog parses. */
const MODEL_FIELDS = {
  providerId: created<string>(),
  modelId: created<string>(),
  info: created<object>(json()),
}

export type StoredProviderModel = RowOf<typeof MODEL_FIELDS>

const OVERRIDE_FIELDS = {
  id: created<string>(),
  override: created<ModelOverride>(json()),
  updatedAt: created<number>(),
}

export type StoredModelOverride = RowOf<typeof OVERRIDE_FIELDS>

export interface ModelListing {
  providerId: string
  models: { id: string; info: object }[]
  at: number
}

const providers = defineTable('providers', FIELDS)
const providerModels = defineTable('provider_models', MODEL_FIELDS)
const overrides = defineTable('model_overrides', OVERRIDE_FIELDS)

const remove = statement<[string]>('DELETE FROM providers WHERE id = ?')
const setFetchedAt = statement<[number, string]>('UPDATE providers SET models_fetched_at = ? WHERE id = ?')
const removeModels = statement<[string]>('DELETE FROM provider_models WHERE provider_id = ?')
const addModel = providerModels.insert('INSERT OR REPLACE')
const removeOverride = statement<[string]>('DELETE FROM model_overrides WHERE id = ?')

/** A provider that is not stored yet, with the default of each field that is absent. */
export const createProvider = providers.complete
/** Adds the provider, or replaces the whole row of that id. */
export const putProvider: (db: Db, provider: StoredProvider) => void = providers.insert('INSERT OR REPLACE')
export const putModelOverride = overrides.insert('INSERT OR REPLACE')
export const readProviders = providers.select('ORDER BY priority, id')
export const readProviderModels = providerModels.select('ORDER BY provider_id, model_id')
export const readModelOverrides = overrides.select('ORDER BY id')

/** Removes the provider and its model list. */
export function deleteProvider(db: Db, id: string): { deleted: boolean } {
  removeModels(db).run(id)
  return { deleted: remove(db).run(id).changes > 0 }
}

export function replaceProviderModels(db: Db, { providerId, models, at }: ModelListing): void {
  removeModels(db).run(providerId)
  for (const { id, info } of models) addModel(db, { providerId, modelId: id, info })
  setFetchedAt(db).run(at, providerId)
}

export function deleteModelOverride(db: Db, id: string): { deleted: boolean } {
  return { deleted: removeOverride(db).run(id).changes > 0 }
}
