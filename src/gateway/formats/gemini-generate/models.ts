// Owns the reading of model lists in Gemini's format. Source: Google's Gemini API reference, `models.list`.
// Knows nothing of the catalogue.
import type { Capability } from '../../../shared/models.ts'
import type { UpstreamModel } from '../codec.ts'
import { isObject, type JsonObject, stringOr, wholeNumber } from '../json.ts'

const MAX_TEXT = 200

/** Models that answer chats; the list also holds those for embeddings, images and video. */
function answersChats({ supportedGenerationMethods: methods }: JsonObject): boolean {
  return !Array.isArray(methods) || methods.includes('generateContent')
}

/** The list says only whether a model thinks; every Gemini that answers chats takes images, tools and JSON. */
function readCapabilities(id: string, thinks: boolean): Capability[] | undefined {
  if (!id.startsWith('gemini-') || id.includes('-tts')) return undefined
  return ['vision', 'tools', 'json', ...(thinks ? (['reasoning'] as const) : []), 'streaming']
}

function readRow(row: unknown): UpstreamModel | null {
  if (!isObject(row) || !answersChats(row)) return null
  const id = stringOr(row.name, '').replace(/^models\//, '')
  if (id === '' || id.length > MAX_TEXT || /\p{Cc}/u.test(id)) return null
  const name = stringOr(row.displayName, '')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, MAX_TEXT)
  const contextWindow = wholeNumber(row.inputTokenLimit, 1)
  const maxOutputTokens = wholeNumber(row.outputTokenLimit, 1)
  const capabilities = readCapabilities(id, row.thinking === true)
  return {
    id,
    ...(name !== '' && { name }),
    ...(contextWindow !== null && { contextWindow }),
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(capabilities && { capabilities }),
  }
}

/** The rows of one page; null for anything that is no list. */
export function readGeminiModels(body: unknown, limit: number): UpstreamModel[] | null {
  if (!isObject(body) || !Array.isArray(body.models)) return null
  const models = new Map<string, UpstreamModel>()
  for (const row of body.models) {
    if (models.size >= limit) break
    const model = readRow(row)
    if (model && !models.has(model.id)) models.set(model.id, model)
  }
  return [...models.values()]
}

/** The query of the next page, or null after the last. */
export function nextGeminiPage(body: unknown): string | null {
  const token = isObject(body) ? body.nextPageToken : null
  return typeof token === 'string' && token !== '' ? `pageToken=${encodeURIComponent(token)}` : null
}
