// Owns the reading of token counts in Gemini's format. Source: Google's Gemini API reference, `UsageMetadata`: the
// prompt's count includes what was cached, thoughts come on top of the candidates' count. Knows nothing of prices.

import { isObject, tokenCount } from '../json.ts'
import { otherTier } from '../service-tier.ts'
import type { ReportedUsage } from '../token-usage.ts'

/** Zero counts are left out of the format. Undefined for what is there and is not a count. */
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

/** What `usageMetadata` says, in disjoint buckets. Null when it is missing or cannot be true. */
export function readGeminiUsage(usage: unknown): ReportedUsage | null {
  if (!isObject(usage) || usage.promptTokenCount === undefined) return null
  const sent = count(usage.promptTokenCount)
  const toolUse = count(usage.toolUsePromptTokenCount)
  const cacheRead = count(usage.cachedContentTokenCount)
  const said = count(usage.candidatesTokenCount)
  const reasoning = count(usage.thoughtsTokenCount)
  if (
    sent === undefined ||
    toolUse === undefined ||
    cacheRead === undefined ||
    said === undefined ||
    reasoning === undefined ||
    cacheRead > sent
  ) {
    return null
  }
  const fresh = sent + toolUse - cacheRead
  const cacheReadAudio = Math.min(cacheRead, countAudio(usage.cacheTokensDetails))
  const audioInput = Math.min(fresh, Math.max(0, countAudio(usage.promptTokensDetails) - cacheReadAudio))
  const audioOutput = Math.min(said, countAudio(usage.candidatesTokensDetails))
  const prompt = sent + toolUse
  // A prompt of no tokens is a server that does not count.
  if (prompt === 0) return null
  const output = said + reasoning
  return {
    buckets: {
      input: fresh - audioInput,
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
