// Costs from published rates, independent of the code under test.
// Rates: the vendors' price pages (listed below) as recorded by two independent catalogs, genai-prices 0.1.8 and
// pi-ai 1.5.2 of 2026-11-10; a row marked `one source` is only in the latter.
//   openai     developers.openai.com/api/docs/pricing        anthropic  anthropic.com/pricing#api
//   google     ai.google.dev/gemini-api/docs/pricing         x-ai       docs.x.ai/docs/models
//   mistral    mistral.ai/pricing/api                        deepseek   api-docs.deepseek.com/quick_start/pricing
//   groq       console.groq.com/docs/models                  together   together.ai/pricing
import { UsageBuckets } from '../../../../shared/api/requests.ts'

export interface Figure {
  vendor: string
  model: string
  usage: Partial<UsageBuckets>
  usd: number
  note: string
  /** The tier of service, if not the standard one. */
  tier?: string
  /** When the call is made; noon UTC when absent. */
  at?: string
}

const Bucket = UsageBuckets.keyof()

/**
 * Rows of: model | billed | note | tier, or the time of the call. What is billed is the tokens of each bucket, and their rate in
 * USD per million. `cacheRead` is without audio; reasoning is inside the output, and has no rate.
 */
export function readFigures(table: string): readonly Figure[] {
  let vendor = ''
  return table
    .trim()
    .split('\n')
    .flatMap((line): Figure | [] => {
      const [model = '', billed = '', note = 'mixed', when] = line.split(' | ')
      if (model.startsWith('# ')) vendor = model.slice(2)
      if (billed === '') return []
      const parts = billed.split(', ').map((part) => part.replaceAll('_', '').split(/ ×? ?/))
      const usage: Figure['usage'] = {}
      for (const [bucket, used] of parts) usage[Bucket.parse(bucket)] = Number(used)
      usage.cacheRead = (usage.cacheRead ?? 0) + (usage.cacheReadAudio ?? 0)
      const usd = parts.reduce((sum, [, used, rate = 0]) => sum + Number(used) * Number(rate), 0) / 1e6
      return { vendor, model, usage, usd, note, ...(when && { [when.includes(':') ? 'at' : 'tier']: when }) }
    })
}

export const figures = readFigures(`
# openai
gpt-4o | input 1_000 × 2.5, cacheRead 3_000 × 1.25, output 500 × 10
gpt-4o-mini | input 120_000 × 0.15, output 8_000 × 0.6
gpt-4.1 | input 20_000 × 2, cacheRead 80_000 × 0.5, output 1_500 × 8
gpt-4.1-nano-2025-04-14 | input 333 × 0.1, output 77 × 0.4
gpt-5 | input 8_000 × 1.25, cacheRead 2_000 × 0.125, output 6_000 × 10, reasoning 4_000
gpt-5-mini-2025-08-07 | input 999 × 0.25, output 1_001 × 2, reasoning 640
gpt-5.2 | input 40_000 × 1.75, cacheRead 160_000 × 0.175, output 9_000 × 14, reasoning 7_000
gpt-5.4 | input 100_000 × 2.5, cacheRead 100_000 × 0.25, output 2_000 × 15
gpt-5.4 | input 200_000 × 5, cacheRead 100_000 × 0.5, output 2_000 × 22.5 | over 272k
gpt-5.5 | input 272_001 × 10, output 100 × 45 | over 272k
gpt-6-sol | input 172_000 × 2, cacheRead 50_000 × 0.2, cacheWrite5m 50_000 × 2.5, output 1_000 × 10 | 272k exactly
gpt-6-sol | input 172_001 × 4, cacheRead 50_000 × 0.4, cacheWrite5m 50_000 × 5, output 1_000 × 15 | one token over 272k
gpt-6.1-terra | input 5_000 × 1, cacheRead 45_000 × 0.05, cacheWrite5m 2_000 × 1.25, output 3_000 × 5, reasoning 1_000 | one source
gpt-6.1-sol | input 300_000 × 4, output 1_000 × 15 | over 272k, one source
o3 | input 1_200 × 2, cacheRead 800 × 0.5, output 5_000 × 8, reasoning 4_600
o4-mini | input 15_000 × 1.1, output 22_000 × 4.4, reasoning 20_000
# anthropic
claude-haiku-4-5 | input 21 × 1, cacheRead 1_000 × 0.1, cacheWrite5m 148 × 1.25, cacheWrite1h 452 × 2, output 5 × 5
claude-sonnet-4-5-20250929 | input 50_000 × 3, cacheRead 150_000 × 0.3, output 4_000 × 15 | 200k exactly
claude-sonnet-4-5-20250929 | input 50_001 × 6, cacheRead 150_000 × 0.6, output 4_000 × 22.5 | one token over 200k
claude-sonnet-4-6 | input 400_000 × 3, output 10_000 × 15 | no long-context price
claude-opus-4-5 | input 3_000 × 5, cacheRead 90_000 × 0.5, cacheWrite5m 6_000 × 6.25, output 2_500 × 25, reasoning 1_200
claude-opus-5 | input 10 × 5, cacheWrite1h 100_000 × 10, output 700 × 25
claude-opus-5-5 | input 2_500 × 4, cacheRead 400_000 × 0.2, output 1_800 × 20
claude-sonnet-5 | input 7_000 × 2, cacheRead 13_000 × 0.2, output 900 × 10
claude-sonnet-5-5 | input 7_000 × 2, cacheRead 13_000 × 0.1, cacheWrite1h 1_000 × 4, output 900 × 10 | one source
claude-fable-5-2 | input 1_000 × 8, cacheRead 50_000 × 0.2, cacheWrite5m 4_000 × 10, output 3_000 × 40, reasoning 2_000 | one source
claude-haiku-5-5 | input 100_000 × 0.1, output 1_000 × 0.5 | 100k exactly, one source
claude-haiku-5-5 | input 60_001 × 0.5, cacheRead 40_000 × 0.05, output 1_000 × 2.5 | one token over 100k, one source
# google
gemini-2.5-pro | input 150_000 × 1.25, cacheRead 50_000 × 0.125, output 3_000 × 10, reasoning 1_500 | 200k exactly
gemini-2.5-pro | input 150_001 × 2.5, cacheRead 50_000 × 0.25, output 3_000 × 15, reasoning 1_500 | one token over 200k
gemini-2.5-flash | input 30 × 0.3, audioInput 10_000 × 1, output 200 × 2.5 | audio in
gemini-2.5-flash | input 500 × 0.3, cacheRead 400 × 0.03, cacheReadAudio 600 × 0.1, output 100 × 2.5 | cached audio
gemini-2.5-flash-lite | input 500_000 × 0.1, cacheRead 500_000 × 0.01, output 20_000 × 0.4
gemini-3.1-pro-preview | input 12_000 × 2, output 8_000 × 12, reasoning 6_500
gemini-3.5-flash | input 1_621 × 1.5, cacheRead 1_000 × 0.15, output 5 × 9
gemini-3.8-flash | input 64_000 × 0.75, output 4_096 × 3.75
gemini-4-argon | input 9_000 × 2, cacheRead 91_000 × 0.1, output 2_200 × 10, reasoning 1_800 | one source
# x-ai
grok-4.3 | input 1_000 × 1.25, cacheRead 9_000 × 0.2, output 4_000 × 2.5, reasoning 3_500
grok-4.5 | input 250_000 × 4, output 1_000 × 12 | over 200k
grok-4.7 | input 200_000 × 2, output 1_000 × 6 | 200k exactly, one source
grok-4.7 | input 200_001 × 4, output 1_000 × 12 | one token over 200k, one source
# mistral
codestral-2508 | input 4_000 × 0.3, cacheRead 6_000 × 0.03, output 1_000 × 0.9
mistral-large-latest | input 10_000 × 0.5, cacheRead 10_000 × 0.05, output 3_000 × 1.5 | one source
mistral-small-latest | input 70_000 × 0.15, output 30_000 × 0.6 | one source
mistral-medium-2508 | input 31_000 × 0.4, output 1_700 × 2
ministral-8b-2512 | input 123_456 × 0.15, output 6_543 × 0.15
# deepseek
deepseek-v4-pro | input 6_000 × 0.66, cacheRead 54_000 × 0.022, output 7_000 × 1.98, reasoning 5_000 | 12:00 UTC, off-peak
deepseek-v4-pro | input 6_000 × 1.32, cacheRead 54_000 × 0.044, output 7_000 × 3.96, reasoning 5_000 | 02:30 UTC, peak | 2026-11-20T02:30:00Z
deepseek-flash | input 20_000 × 0.3, cacheRead 100_000 × 0.006, output 2_500 × 1.2 | one source
# groq
llama-3.1-8b-instant | input 50_000 × 0.05, output 9_000 × 0.08
llama-3.3-70b-versatile | input 2_048 × 0.59, output 512 × 0.79
openai/gpt-oss-120b | input 3_000 × 0.15, cacheRead 5_000 × 0.075, output 2_000 × 0.6, reasoning 1_500
qwen/qwen3.8-27b | input 11_000 × 0.8, output 1_300 × 4 | one source
# together
moonshotai/Kimi-K3 | input 15_000 × 3, cacheRead 85_000 × 0.3, output 4_000 × 15, reasoning 2_000 | one source
zai-org/GLM-5.3 | input 5_000 × 1.4, cacheRead 1_000 × 0.26, output 700 × 4.4 | one source
Qwen/Qwen3.5-9B | input 64_000 × 0.17, output 10_000 × 0.25 | one source
`)
