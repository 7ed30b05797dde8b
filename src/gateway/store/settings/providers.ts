// Rows of providers, their model lists and the model overrides.

import type { Network } from '../../../shared/api/account.ts'
import type { Authorization } from '../../../shared/api/authorization.ts'
import type { ModelOverride } from '../../../shared/api/models.ts'
import type { ProviderFormat } from '../../../shared/api/providers.ts'
import { type Db, fromJson, statement } from '../engine/statement.ts'
import { created, defineRow, flag, json, type NewRow, option, type RowOf, type SqlRow } from './fields.ts'

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
  headers: option<Record<string, string>>({}, json()),
  /** Names of further headers, whose values were put in the keychain. */
  secretHeaders: option<string[]>([], json()),
  /** How many credentials were put in the keychain: getting none from there means locked or lost. */
  credentialCount: option<number>(0),
  modelsFetchedAt: option<number | null>(null),
  createdAt: created<number>(),
}

export type StoredProvider = RowOf<typeof FIELDS>
export type NewProvider = NewRow<typeof FIELDS>

const { list, values, encode, decode, complete } = defineRow(FIELDS)

export interface StoredProviderModel {
  providerId: string
  modelId: string
  /** The catalog's data from the provider's own list; the catalog parses it. */
  info: unknown
}

export interface ModelListing {
  providerId: string
  models: { id: string; info: unknown }[]
  at: number
}

export interface StoredModelOverride {
  id: string
  override: ModelOverride
  updatedAt: number
}

const put = statement<SqlRow>(`INSERT OR REPLACE INTO providers ${values}`)
const all = statement<[], SqlRow>(`SELECT ${list} FROM providers ORDER BY priority, id`)
const remove = statement<[string]>('DELETE FROM providers WHERE id = ?')
const setFetchedAt = statement<[number, string]>('UPDATE providers SET models_fetched_at = ? WHERE id = ?')
const removeModels = statement<[string]>('DELETE FROM provider_models WHERE provider_id = ?')
const addModel = statement<[string, string, string]>(
  'INSERT OR REPLACE INTO provider_models (provider_id, model_id, info) VALUES (?, ?, ?)',
)
const allModels = statement<[], Omit<StoredProviderModel, 'info'> & { info: string }>(`
  SELECT provider_id AS providerId, model_id AS modelId, info FROM provider_models
  ORDER BY provider_id, model_id`)
const putOverride = statement<[string, string, number]>(
  'INSERT OR REPLACE INTO model_overrides (id, override, updated_at) VALUES (?, ?, ?)',
)
const removeOverride = statement<[string]>('DELETE FROM model_overrides WHERE id = ?')
const allOverrides = statement<[], Omit<StoredModelOverride, 'override'> & { override: string }>(
  'SELECT id, override, updated_at AS updatedAt FROM model_overrides ORDER BY id',
)

/** A provider that is not stored yet, with the default of each field that is absent. */
export function createProvider(values: NewProvider): StoredProvider {
  return complete(values)
}

/** Adds the provider, or replaces the whole row of that id. */
export function putProvider(db: Db, provider: StoredProvider): void {
  put(db).run(encode(provider))
}

/** Removes the provider and its model list. */
export function deleteProvider(db: Db, id: string): { deleted: boolean } {
  removeModels(db).run(id)
  return { deleted: remove(db).run(id).changes > 0 }
}

/** Replaces the stored list by a new one. */
export function replaceProviderModels(db: Db, { providerId, models, at }: ModelListing): void {
  removeModels(db).run(providerId)
  for (const model of models) addModel(db).run(providerId, model.id, JSON.stringify(model.info ?? null))
  setFetchedAt(db).run(at, providerId)
}

export function putModelOverride(db: Db, { id, override, updatedAt }: StoredModelOverride): void {
  putOverride(db).run(id, JSON.stringify(override), updatedAt)
}

export function deleteModelOverride(db: Db, id: string): { deleted: boolean } {
  return { deleted: removeOverride(db).run(id).changes > 0 }
}

export function readProviders(db: Db): StoredProvider[] {
  return all(db).all().map(decode)
}

export function readProviderModels(db: Db): StoredProviderModel[] {
  return allModels(db)
    .all()
    .map((row) => ({ ...row, info: fromJson<unknown>(row.info) }))
}

export function readModelOverrides(db: Db): StoredModelOverride[] {
  return allOverrides(db)
    .all()
    .map((row) => ({ ...row, override: fromJson<ModelOverride>(row.override) ?? {} }))
}
