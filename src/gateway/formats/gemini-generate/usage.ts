// Source: Google's Gemini API reference, `UsageMetadata`. The prompt's count includes cached tokens; the candidates'
// count excludes thoughts.

import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import { otherTier, type ReportedUsage } from '../chat/usage.ts'
import { asList, asObject, isObject, listObjects, optionalCount, tokenCount } from '../json/json.ts'

function countModality(details: unknown, modality: string): number {
  return listObjects(details)
    .filter((row) => row.modality === modality)
    .reduce((sum, row) => sum + (tokenCount(row.tokenCount) ?? 0), 0)
}

/** The searches of the web that an answer, or one event of it, names in its `groundingMetadata`. */
export function readSearchQueries(body: unknown): string[] {
  return listObjects(asObject(body).candidates).flatMap(({ groundingMetadata: grounding }) =>
    // Google does not bill empty queries, of which there are some.
    asList(asObject(grounding).webSearchQueries).filter(
      (query): query is string => typeof query === 'string' && query.trim() !== '',
    ),
  )
}

/** Gemini 3 and later models are billed for each search, earlier ones once for a prompt with searches. */
function countWebSearches(queries: readonly string[], model: string): number {
  const searches = new Set(queries).size
  return /^gemini-[12]\b/.test(model) ? Math.min(searches, 1) : searches
}

/**
 * Reads `usageMetadata` into disjoint buckets. Null when it is missing or implausible. `queries`: the answer's searches of
 * the web so far.
 */
export function readGeminiUsage(
  usage: unknown,
  { queries, model }: { queries: readonly string[]; model: string },
): ReportedUsage | null {
  if (!isObject(usage) || usage.promptTokenCount === undefined) return null
  const promptCount = optionalCount(usage.promptTokenCount)
  const toolUse = optionalCount(usage.toolUsePromptTokenCount)
  const cacheRead = optionalCount(usage.cachedContentTokenCount)
  const candidates = optionalCount(usage.candidatesTokenCount)
  const reasoning = optionalCount(usage.thoughtsTokenCount)
  if (Number.isNaN(promptCount + toolUse + cacheRead + candidates + reasoning)) return null
  if (cacheRead > promptCount) return null
  const uncached = promptCount + toolUse - cacheRead
  const cacheReadAudio = Math.min(cacheRead, countModality(usage.cacheTokensDetails, 'AUDIO'))
  const audioInput = Math.min(
    uncached,
    Math.max(0, countModality(usage.promptTokensDetails, 'AUDIO') - cacheReadAudio),
  )
  const audioOutput = Math.min(candidates, countModality(usage.candidatesTokensDetails, 'AUDIO'))
  const imageOutput = Math.min(
    candidates - audioOutput,
    countModality(usage.candidatesTokensDetails, 'IMAGE'),
  )
  const webSearches = countWebSearches(queries, model)
  const prompt = promptCount + toolUse
  // A server that reports 0 prompt tokens does not count tokens.
  if (prompt === 0) return null
  const output = candidates + reasoning
  return {
    buckets: {
      ...NO_USAGE,
      input: uncached - audioInput,
      cacheRead,
      audioInput,
      output: output - audioOutput - imageOutput,
      audioOutput,
      reasoning,
      cacheReadAudio,
      ...(imageOutput > 0 && { imageOutput }),
      ...(webSearches > 0 && { webSearches }),
    },
    costUsd: null,
    ...otherTier(usage.serviceTier),
    asChatUsage: {
      prompt_tokens: prompt,
      completion_tokens: output,
      total_tokens: prompt + output,
      prompt_tokens_details: {
        cached_tokens: cacheRead,
        ...(audioInput > 0 && { audio_tokens: audioInput }),
      },
      completion_tokens_details: {
        reasoning_tokens: reasoning,
        ...(audioOutput > 0 && { audio_tokens: audioOutput }),
      },
    },
  }
}
