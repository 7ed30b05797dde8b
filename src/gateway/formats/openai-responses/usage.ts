// Source: OpenAI's API reference (`usage` of a response): chat completions' counts under other names.

import type { UsageBuckets } from '../../../shared/api/requests.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import type { Quirks } from '../chat/codec-types.ts'
import { type ReportedUsage, sumUsage } from '../chat/usage.ts'
import { asObject, isObject, type JsonObject, listObjects, tokenCount } from '../json/json.ts'
import { readUsage } from '../openai-chat/usage.ts'

/** Searches cost extra; opening a page that was found does not. Source: OpenAI's pricing page, "Built-in tools". */
function countSearches(items: readonly JsonObject[]): Pick<UsageBuckets, 'webSearches' | 'fileSearches'> {
  const webSearches = items.filter(({ type, action }) => {
    return type === 'web_search_call' && (!isObject(action) || (action.type ?? 'search') === 'search')
  }).length
  const fileSearches = items.filter(({ type }) => type === 'file_search_call').length
  return { ...(webSearches > 0 && { webSearches }), ...(fileSearches > 0 && { fileSearches }) }
}

/** Tokens of an image of medium quality, by OpenAI's guide to image generation. */
const LIKELY_TOKENS_PER_IMAGE = 1_056

/**
 * What the model for images used that drew within the response; `usage` does not have it. Null if there are no images. Its
 * name is not known, so its tokens are charged like those of the model that called it.
 */
function readDrawing({ tool_usage: tools }: JsonObject, items: readonly JsonObject[]): UsageBuckets | null {
  const usage = asObject(asObject(tools).image_gen)
  const images = items.filter(({ type }) => type === 'image_generation_call').length
  const input = tokenCount(usage.input_tokens) ?? 0
  const imageInput = Math.min(input, tokenCount(asObject(usage.input_tokens_details).image_tokens) ?? 0)
  const imageOutput = tokenCount(usage.output_tokens) || images * LIKELY_TOKENS_PER_IMAGE
  if (input + imageOutput === 0) return null
  return { ...NO_USAGE, input: input - imageInput, imageInput, imageOutput }
}

/** Tools that are billed by the time for which their container exists, which the response does not tell. */
const IN_CONTAINERS: readonly unknown[] = ['code_interpreter_call', 'shell_call']

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
  if (!read) return null
  const items = listObjects(output)
  const buckets = { ...read.buckets, ...countSearches(items) }
  const drawing = readDrawing(response, items)
  const isEstimated = drawing !== null || items.some(({ type }) => IN_CONTAINERS.includes(type))
  return {
    ...read,
    buckets: drawing ? sumUsage([buckets, drawing]) : buckets,
    ...(drawing && { calls: [buckets, drawing] }),
    ...(isEstimated && { estimated: true }),
  }
}
