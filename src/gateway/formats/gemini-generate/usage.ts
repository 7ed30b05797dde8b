// Source: Google's Gemini API reference, `UsageMetadata`. The prompt's count includes cached tokens; the candidates'
// count excludes thoughts.
import { isObject, tokenCount } from '../json.ts'
import { otherTier } from '../service-tier.ts'
import type { ReportedUsage } from '../token-usage.ts'

/** The format omits counts of 0. Undefined for a value that is not a count. */
function count(value: unknown): number | undefined {
  return value === undefined || value === null ? 0 : (tokenCount(value) ?? undefined)
}

function countAudio(details: unknown): number {
  if (!Array.isArray(details)) return 0
  return details
    .filter(isObject)
    .filter((row) => row.modality === 'AUDIO')
    .reduce((sum, row) => sum + (tokenCount(row.tokenCount) ?? 0), 0)
}

/** Reads `usageMetadata` into disjoint buckets. Null when it is missing or implausible. */
export function readGeminiUsage(usage: unknown): ReportedUsage | null {
  if (!isObject(usage) || usage.promptTokenCount === undefined) return null
  const promptCount = count(usage.promptTokenCount)
  const toolUse = count(usage.toolUsePromptTokenCount)
  const cacheRead = count(usage.cachedContentTokenCount)
  const candidates = count(usage.candidatesTokenCount)
  const reasoning = count(usage.thoughtsTokenCount)
  if (
    promptCount === undefined ||
    toolUse === undefined ||
    cacheRead === undefined ||
    candidates === undefined ||
    reasoning === undefined ||
    cacheRead > promptCount
  ) {
    return null
  }
  const uncached = promptCount + toolUse - cacheRead
  const cacheReadAudio = Math.min(cacheRead, countAudio(usage.cacheTokensDetails))
  const audioInput = Math.min(uncached, Math.max(0, countAudio(usage.promptTokensDetails) - cacheReadAudio))
  const audioOutput = Math.min(candidates, countAudio(usage.candidatesTokensDetails))
  const prompt = promptCount + toolUse
  // A server that reports 0 prompt tokens does not count tokens.
  if (prompt === 0) return null
  const output = candidates + reasoning
  return {
    buckets: {
      input: uncached - audioInput,
      cacheRead,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      audioInput,
      output: output - audioOutput,
      audioOutput,
      reasoning,
      cacheReadAudio,
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
