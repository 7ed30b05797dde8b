// Finds a batch at its provider when the answer to its creation was lost, as in a crash.
import { asObject, isObject, type JsonObject, listObjects } from '../../../gateway/formats/json/json.ts'
import type { Store } from '../../../gateway/store/store.ts'
import type { StoredBatch } from './batch-rows.ts'
import { findKind } from './kinds.ts'
import { callProvider, type ProviderDeps } from './provider-calls.ts'

/** The newest ones: others would have to be made by the same account within minutes. */
const LISTED = 100
/** How far the clocks of a provider and of this computer may be apart. */
const SKEW_MS = 10 * 60_000

/** Null if it lists none that can be it. Throws UpstreamFailure. */
export async function findBatch(
  batch: StoredBatch,
  deps: ProviderDeps & { store: Store },
  signal: AbortSignal,
): Promise<JsonObject | null> {
  const path = `${findKind(batch).path}?limit=${LISTED}`
  const { data } = await callProvider(batch, { method: 'GET', path, signal }, deps)
  const same = listObjects(data).filter((object) => isSame(batch, object))
  const ids = same.map(({ id }) => String(id))
  const known = await deps.store.read('findProviderBatches', batch.provider, ids)
  return same.findLast(({ id }) => !known.includes(String(id))) ?? null
}

function isSame({ details, createdAt, lines, object: sent }: StoredBatch, object: JsonObject): boolean {
  if (details.inputFile !== null) return object.input_file_id === sent.input_file_id
  const made = Date.parse(String(object.created_at))
  return Math.abs(made - createdAt) < SKEW_MS && countRequests(object) === lines
}

function countRequests({ request_counts: counts }: JsonObject): number {
  if (!isObject(counts)) return 0
  return Object.values(asObject(counts)).reduce<number>(
    (sum, count) => sum + (typeof count === 'number' ? count : 0),
    0,
  )
}
