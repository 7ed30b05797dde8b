// Source: Google's Gemini API reference, `models.list`.
import type { Capability } from '../../../shared/models.ts'
import { printable } from '../../../shared/visible-text.ts'
import type { UpstreamModel } from '../chat/codec.ts'
import { isObject, type JsonObject, stringOr, wholeNumber } from '../json/json.ts'

const MAX_TEXT = 200

/** The list also contains models for images and video, which are called in other ways. */
function isSupported(row: JsonObject): boolean {
  return supports(row, 'generateContent') || supports(row, 'embedContent')
}

function supports({ supportedGenerationMethods: methods }: JsonObject, method: string): boolean {
  return !Array.isArray(methods) || methods.includes(method)
}

/** The list only states whether a model reasons. Every Gemini chat model supports images, tools and JSON. */
function readCapabilities(id: string, isReasoning: boolean): Capability[] | undefined {
  if (!id.startsWith('gemini-') || id.includes('-tts')) return undefined
  return ['vision', 'tools', 'json', ...(isReasoning ? (['reasoning'] as const) : []), 'streaming']
}

function readRow(row: unknown): UpstreamModel | null {
  if (!isObject(row) || !isSupported(row)) return null
  const id = stringOr(row.name, '').replace(/^models\//, '')
  if (id === '' || id.length > MAX_TEXT || /\p{Cc}/u.test(id)) return null
  const name = printable(stringOr(row.displayName, '')).slice(0, MAX_TEXT)
  const contextWindow = wholeNumber(row.inputTokenLimit, 1)
  const maxOutputTokens = wholeNumber(row.outputTokenLimit, 1)
  const capabilities = supports(row, 'generateContent')
    ? readCapabilities(id, row.thinking === true)
    : (['embeddings'] as const)
  return {
    id,
    ...(name !== '' && { name }),
    ...(contextWindow !== null && { contextWindow }),
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(capabilities && { capabilities: [...capabilities] }),
  }
}

/** The entries of one page; null when it is not a list. */
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

/** The query for the next page; null after the last. */
export function nextGeminiPage(body: unknown): string | null {
  const token = isObject(body) ? body.nextPageToken : null
  return typeof token === 'string' && token !== '' ? `pageToken=${encodeURIComponent(token)}` : null
}
