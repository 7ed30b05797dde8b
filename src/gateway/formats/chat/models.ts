// Reads the lists of models of all formats.
import { printable } from '../../../shared/values/text.ts'
import { stringOr } from '../json/json.ts'
import type { UpstreamModel } from './codec-types.ts'

const MAX_TEXT = 200

/** At most `limit` models, the first one of each id; null if `rows` is not a list. `readRow` returns null for other entries. */
export function readModels(
  rows: unknown,
  limit: number,
  readRow: (row: unknown) => UpstreamModel | null,
): UpstreamModel[] | null {
  if (!Array.isArray(rows)) return null
  const models = new Map<string, UpstreamModel>()
  for (const row of rows) {
    if (models.size >= limit) break
    const model = readRow(row)
    if (model && !models.has(model.id)) models.set(model.id, model)
  }
  return [...models.values()]
}

/** The id and, if there is one, the name to show; null for an id that cannot be one. */
export function identifyModel(id: unknown, name: unknown): Pick<UpstreamModel, 'id' | 'name'> | null {
  if (typeof id !== 'string' || id === '' || id.length > MAX_TEXT || /\p{Cc}/u.test(id)) return null
  const text = printable(stringOr(name, '')).slice(0, MAX_TEXT)
  return { id, ...(text !== '' && { name: text }) }
}

/** The query for the page with this token, such as `pageToken=…`; null for no token. */
export function encodePageQuery(name: string, token: unknown): string | null {
  return typeof token === 'string' && token !== '' ? `${name}=${encodeURIComponent(token)}` : null
}
