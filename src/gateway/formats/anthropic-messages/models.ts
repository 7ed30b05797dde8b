// Source: Anthropic's API reference, "List models".
import type { Capability } from '../../../shared/models.ts'
import { printable } from '../../../shared/visible-text.ts'
import type { UpstreamModel } from '../chat/codec.ts'
import { isObject, type JsonObject, stringOr, wholeNumber } from '../json/json.ts'

const MAX_TEXT = 200

function supports(capabilities: JsonObject, name: string): boolean {
  const support = capabilities[name]
  return isObject(support) && support.supported === true
}

/** Undefined when the entry states none. Every model supports tools, and JSON can be requested of every model. */
function readCapabilities(stated: unknown): Capability[] | undefined {
  if (!isObject(stated)) return undefined
  return [
    ...(supports(stated, 'image_input') ? (['vision'] as const) : []),
    'tools',
    'json',
    ...(supports(stated, 'thinking') ? (['reasoning'] as const) : []),
    'streaming',
  ]
}

function readRow(row: unknown): UpstreamModel | null {
  if (!isObject(row)) return null
  const id = stringOr(row.id, '')
  if (id === '' || id.length > MAX_TEXT || /\p{Cc}/u.test(id)) return null
  const name = printable(stringOr(row.display_name, '')).slice(0, MAX_TEXT)
  const created = Math.floor(Date.parse(stringOr(row.created_at, '')) / 1000)
  const contextWindow = wholeNumber(row.max_input_tokens, 1)
  const maxOutputTokens = wholeNumber(row.max_tokens, 1)
  const capabilities = readCapabilities(row.capabilities)
  return {
    id,
    ...(name !== '' && { name }),
    ...(created > 0 && { created }),
    ...(contextWindow !== null && { contextWindow }),
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(capabilities && { capabilities }),
  }
}

/** The entries of one page; null when it is not a list. */
export function readAnthropicModels(body: unknown, limit: number): UpstreamModel[] | null {
  if (!isObject(body) || !Array.isArray(body.data)) return null
  const models = new Map<string, UpstreamModel>()
  for (const row of body.data) {
    if (models.size >= limit) break
    const model = readRow(row)
    if (model && !models.has(model.id)) models.set(model.id, model)
  }
  return [...models.values()]
}

/** The query for the next page; null after the last. */
export function nextAnthropicPage(body: unknown): string | null {
  if (!isObject(body) || body.has_more !== true || typeof body.last_id !== 'string') return null
  return `after_id=${encodeURIComponent(body.last_id)}`
}
