// Rows of providers, their model lists and the model overrides.

import type { Authorization } from '../../../shared/authorization.ts'
import type { ModelOverride } from '../../../shared/models.ts'
import type { Network } from '../../../shared/network.ts'
import type { ProviderFormat } from '../../../shared/providers.ts'
import { type Db, fromJson, statement, toFlag } from '../engine/statement.ts'

export interface StoredProvider {
  id: string
  name: string
  apiFormat: ProviderFormat
  baseUrl: string | null
  /** Null is the default of the provider, or of its API format. */
  authorization: Authorization | null
  /** Null is automatic. */
  enabled: boolean | null
  priority: number
  connectTimeoutMs: number | null
  firstByteTimeoutMs: number | null
  stallTimeoutMs: number | null
  totalTimeoutMs: number | null
  /** Null: as the settings say. */
  network: Network | null
  headers: Record<string, string>
  /** Names of further headers, whose values were put in the keychain. */
  secretHeaders: string[]
  /** How many credentials were put in the keychain: getting none from there means locked or lost. */
  credentialCount: number
  modelsFetchedAt: number | null
  createdAt: number
}

export interface StoredProviderModel {
  providerId: string
  modelId: string
  /** What the catalog stores of the provider's own list; the catalog parses it. */
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

/** As SQLite returns it: booleans are 0 and 1, the rest of what is no plain value is JSON. */
type ProviderRow = Omit<StoredProvider, 'enabled' | 'headers' | 'secretHeaders'> & {
  enabled: 0 | 1 | null
  headers: string
  secretHeaders: string
}

const put = statement<object>(`
  INSERT OR REPLACE INTO providers (
    id, name, api_format, base_url, authorization, enabled, priority, first_byte_timeout_ms, stall_timeout_ms, connect_timeout_ms,
    total_timeout_ms, network, headers, secret_headers, credential_count, models_fetched_at, created_at
  ) VALUES (
    @id, @name, @apiFormat, @baseUrl, @authorization, @enabled, @priority, @firstByteTimeoutMs, @stallTimeoutMs, @connectTimeoutMs,
    @totalTimeoutMs, @network, @headers, @secretHeaders, @credentialCount, @modelsFetchedAt, @createdAt
  )`)
const all = statement<[], ProviderRow>(`
  SELECT id, name, api_format AS apiFormat, base_url AS baseUrl, authorization, enabled, priority, network, headers,
    connect_timeout_ms AS connectTimeoutMs, first_byte_timeout_ms AS firstByteTimeoutMs,
    stall_timeout_ms AS stallTimeoutMs, total_timeout_ms AS totalTimeoutMs, secret_headers AS secretHeaders,
    credential_count AS credentialCount, models_fetched_at AS modelsFetchedAt, created_at AS createdAt
  FROM providers ORDER BY priority, id`)
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

/** Adds the provider, or replaces the whole row of that id. */
export function putProvider(db: Db, provider: StoredProvider): void {
  put(db).run({
    ...provider,
    enabled: provider.enabled === null ? null : toFlag(provider.enabled),
    headers: JSON.stringify(provider.headers),
    secretHeaders: JSON.stringify(provider.secretHeaders),
  })
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

export function allProviders(db: Db): StoredProvider[] {
  return all(db)
    .all()
    .map((row) => ({
      ...row,
      enabled: row.enabled === null ? null : row.enabled === 1,
      headers: fromJson<Record<string, string>>(row.headers) ?? {},
      secretHeaders: fromJson<string[]>(row.secretHeaders) ?? [],
    }))
}

export function allProviderModels(db: Db): StoredProviderModel[] {
  return allModels(db)
    .all()
    .map((row) => ({ ...row, info: fromJson<unknown>(row.info) }))
}

export function allModelOverrides(db: Db): StoredModelOverride[] {
  return allOverrides(db)
    .all()
    .map((row) => ({ ...row, override: fromJson<ModelOverride>(row.override) ?? {} }))
}
