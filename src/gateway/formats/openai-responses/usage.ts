// Source: OpenAI's API reference (`usage` of a response): chat completions' counts under other names.
import { isObject, type JsonObject } from '../json.ts'
import { readUsage } from '../openai-chat/usage.ts'
import type { Quirks } from '../target.ts'
import type { ReportedUsage } from '../token-usage.ts'

/** Searches cost extra; opening a page that was found does not. Source: OpenAI's pricing page, "Built-in tools". */
function countWebSearches(output: unknown): number {
  const items = Array.isArray(output) ? output.filter(isObject) : []
  const searches = items.filter(({ type, action }) => {
    return type === 'web_search_call' && (!isObject(action) || (action.type ?? 'search') === 'search')
  })
  return searches.length
}

/** The usage of a response. Null when it is missing or implausible. */
export function readResponsesUsage(response: JsonObject, quirks: Quirks): ReportedUsage | null {
  const { usage, output, service_tier: tier } = response
  if (!isObject(usage)) return null
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details, ...others } = usage
  const counts = {
    ...others,
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    ...(isObject(input_tokens_details) && { prompt_tokens_details: input_tokens_details }),
    ...(isObject(output_tokens_details) && { completion_tokens_details: output_tokens_details }),
  }
  const read = readUsage(counts, quirks, tier)
  const webSearches = countWebSearches(output)
  return read && webSearches > 0 ? { ...read, buckets: { ...read.buckets, webSearches } } : read
}
