// Owns the rows of providers, their model lists and the model overrides. Knows nothing of vendors or credentials.
import type { ModelOverride } from '../../shared/models.ts'
import type { StoredModelOverride, StoredProvider, StoredProviderModel } from './rows.ts'
import { type Db, fromJson, statement, toFlag } from './statement.ts'
import type { ModelListing, OverridePut } from './types.ts'

interface ProviderRow {
  id: string
  name: string
  api_format: StoredProvider['apiFormat']
  base_url: string | null
  enabled: 0 | 1 | null
  priority: number
  first_byte_timeout_ms: number | null
  stall_timeout_ms: number | null
  connect_timeout_ms: number | null
  total_timeout_ms: number | null
  headers: string
  secret_headers: string
  credential_count: number
  models_fetched_at: number | null
  created_at: number
}

const put = statement<object>(`
  INSERT OR REPLACE INTO providers (
    id, name, api_format, base_url, enabled, priority, first_byte_timeout_ms, stall_timeout_ms, connect_timeout_ms,
    total_timeout_ms, headers, secret_headers, credential_count, models_fetched_at, created_at
  ) VALUES (
    @id, @name, @apiFormat, @baseUrl, @enabled, @priority, @firstByteTimeoutMs, @stallTimeoutMs, @connectTimeoutMs,
    @totalTimeoutMs, @headers, @secretHeaders, @credentialCount, @modelsFetchedAt, @createdAt
  )`)
const all = statement<[], ProviderRow>('SELECT * FROM providers ORDER BY priority, id')
const remove = statement<[string]>('DELETE FROM providers WHERE id = ?')
const noteFetched = statement<[number, string]>('UPDATE providers SET models_fetched_at = ? WHERE id = ?')
const removeModels = statement<[string]>('DELETE FROM provider_models WHERE provider_id = ?')
const addModel = statement<[string, string, string]>(
  'INSERT OR REPLACE INTO provider_models (provider_id, model_id, info) VALUES (?, ?, ?)',
)
const allModels = statement<[], { provider_id: string; model_id: string; info: string }>(
  'SELECT * FROM provider_models ORDER BY provider_id, model_id',
)
const putOverride = statement<[string, string, number]>(
  'INSERT OR REPLACE INTO model_overrides (id, override, updated_at) VALUES (?, ?, ?)',
)
const removeOverride = statement<[string]>('DELETE FROM model_overrides WHERE id = ?')
const allOverrides = statement<[], { id: string; override: string; updated_at: number }>(
  'SELECT * FROM model_overrides ORDER BY id',
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

/** Puts a freshly read list in the place of the old one. */
export function replaceProviderModels(db: Db, { providerId, models, at }: ModelListing): void {
  removeModels(db).run(providerId)
  for (const model of models) addModel(db).run(providerId, model.id, JSON.stringify(model.info ?? null))
  noteFetched(db).run(at, providerId)
}

export function putModelOverride(db: Db, { id, override, updatedAt }: OverridePut): void {
  putOverride(db).run(id, JSON.stringify(override), updatedAt)
}

export function deleteModelOverride(db: Db, id: string): { deleted: boolean } {
  return { deleted: removeOverride(db).run(id).changes > 0 }
}

export function allProviders(db: Db): StoredProvider[] {
  return all(db)
    .all()
    .map((row) => ({
      id: row.id,
      name: row.name,
      apiFormat: row.api_format,
      baseUrl: row.base_url,
      enabled: row.enabled === null ? null : row.enabled === 1,
      priority: row.priority,
      connectTimeoutMs: row.connect_timeout_ms,
      firstByteTimeoutMs: row.first_byte_timeout_ms,
      stallTimeoutMs: row.stall_timeout_ms,
      totalTimeoutMs: row.total_timeout_ms,
      headers: fromJson<Record<string, string>>(row.headers) ?? {},
      secretHeaders: fromJson<string[]>(row.secret_headers) ?? [],
      credentialCount: row.credential_count,
      modelsFetchedAt: row.models_fetched_at,
      createdAt: row.created_at,
    }))
}

export function allProviderModels(db: Db): StoredProviderModel[] {
  return allModels(db)
    .all()
    .map((row) => ({
      providerId: row.provider_id,
      modelId: row.model_id,
      info: fromJson<unknown>(row.info),
    }))
}

export function allModelOverrides(db: Db): StoredModelOverride[] {
  return allOverrides(db)
    .all()
    .map((row) => ({
      id: row.id,
      override: fromJson<ModelOverride>(row.override) ?? {},
      updatedAt: row.updated_at,
    }))
}
