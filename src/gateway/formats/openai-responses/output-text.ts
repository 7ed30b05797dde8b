// What accompanies output text, in the form of chat completions.
import { isObject, type JsonObject } from '../json/json.ts'

/**
 * A citation of a page nested by its type. Chat completions have no others, and the AI SDK rejects an answer with one.
 * `offset`: the characters before the text it refers to.
 */
export function readAnnotation(annotation: unknown, offset: number): JsonObject[] {
  if (!isObject(annotation)) return []
  const { type, ...fields } = annotation
  if (type !== 'url_citation') return []
  const shift = (value: unknown) => (typeof value === 'number' ? value + offset : value)
  const { start_index: start, end_index: end } = fields
  return [{ type, url_citation: { ...fields, start_index: shift(start), end_index: shift(end) } }]
}

/** Deltas leave `bytes` out, which chat completions have. */
function readLogprob(entry: unknown): JsonObject[] {
  if (!isObject(entry)) return []
  const top = Array.isArray(entry.top_logprobs) ? entry.top_logprobs : []
  return [
    {
      ...entry,
      bytes: entry.bytes ?? null,
      top_logprobs: top.flatMap((each) => (isObject(each) ? [{ ...each, bytes: each.bytes ?? null }] : [])),
    },
  ]
}

/** Null for none. */
export function readLogprobs(entries: unknown): JsonObject | null {
  if (!Array.isArray(entries) || entries.length === 0) return null
  return { content: entries.flatMap(readLogprob), refusal: null }
}
