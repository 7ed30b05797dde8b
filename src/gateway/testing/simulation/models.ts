// The models of the simulated vendors, with the prices of their published price lists. The price list is what the gateway
// and the vendors have in common; how usage is measured is not.
import type { ApiFormat } from '../../../shared/api/providers.ts'

/** USD per million tokens, and per thousand searches. */
export interface PriceList {
  inputPerMillion: number
  outputPerMillion: number
  cacheReadPerMillion: number
  cacheWritePerMillion?: number
  cacheWriteHourPerMillion?: number
  perThousandWebSearches?: number
}

export interface SimulatedModel {
  id: string
  /** A provider that the gateway knows by this name, or one with its own `baseUrl`. */
  provider: string
  format: ApiFormat
  prices: PriceList
  contextWindow: number
  maxOutputTokens: number
  reasons: boolean
  /** Tokens of one image: `base` and `each` of up to `tiles` tiles. */
  images: { base: number; each: number; tiles: number }
  /** The tiers of service besides the standard one, as multiples of its token prices. */
  tierFactors?: Readonly<Record<string, number>>
  /** The limit of the output does not cover reasoning, and its tokens are reported apart from the completion's. */
  reasoningIsExtra?: true
}

/** Sources, as of 2026-11: openai.com/api/pricing, claude.com/pricing, ai.google.dev/gemini-api/docs/pricing, docs.x.ai,
 * aws.amazon.com/bedrock/pricing. */
export const models: readonly SimulatedModel[] = [
  {
    id: 'gpt-4o',
    provider: 'openai',
    format: 'openai-chat',
    prices: {
      inputPerMillion: 2.5,
      outputPerMillion: 10,
      cacheReadPerMillion: 1.25,
      perThousandWebSearches: 25,
    },
    contextWindow: 128_000,
    maxOutputTokens: 16_384,
    reasons: false,
    images: { base: 85, each: 170, tiles: 8 },
    tierFactors: { priority: 1.7 },
  },
  {
    id: 'o4-mini',
    provider: 'openai',
    format: 'openai-chat',
    prices: { inputPerMillion: 1.1, outputPerMillion: 4.4, cacheReadPerMillion: 0.275 },
    contextWindow: 200_000,
    maxOutputTokens: 100_000,
    reasons: true,
    images: { base: 75, each: 150, tiles: 8 },
    tierFactors: { flex: 0.5, priority: 1.8 },
  },
  {
    id: 'gpt-5-mini',
    provider: 'responses-vendor',
    format: 'openai-responses',
    prices: {
      inputPerMillion: 0.25,
      outputPerMillion: 2,
      cacheReadPerMillion: 0.025,
      perThousandWebSearches: 10,
    },
    contextWindow: 400_000,
    maxOutputTokens: 128_000,
    reasons: true,
    images: { base: 0, each: 332, tiles: 8 },
    tierFactors: { flex: 0.5, priority: 1.8 },
  },
  {
    id: 'claude-sonnet-4-5',
    provider: 'anthropic',
    format: 'anthropic-messages',
    prices: {
      inputPerMillion: 3,
      outputPerMillion: 15,
      cacheReadPerMillion: 0.3,
      cacheWritePerMillion: 3.75,
      cacheWriteHourPerMillion: 6,
      perThousandWebSearches: 10,
    },
    contextWindow: 200_000,
    maxOutputTokens: 64_000,
    reasons: true,
    images: { base: 4, each: 400, tiles: 4 },
  },
  {
    id: 'gemini-2.5-flash',
    provider: 'gemini',
    format: 'gemini-generate',
    prices: {
      inputPerMillion: 0.3,
      outputPerMillion: 2.5,
      cacheReadPerMillion: 0.03,
      perThousandWebSearches: 35,
    },
    contextWindow: 1_048_576,
    maxOutputTokens: 65_536,
    reasons: true,
    images: { base: 0, each: 258, tiles: 12 },
  },
  {
    id: 'amazon.nova-2-lite-v1:0',
    provider: 'bedrock',
    format: 'bedrock-converse',
    prices: {
      inputPerMillion: 0.33,
      outputPerMillion: 2.75,
      cacheReadPerMillion: 0.0825,
      cacheWritePerMillion: 0.33,
    },
    contextWindow: 1_000_000,
    maxOutputTokens: 65_535,
    reasons: true,
    images: { base: 0, each: 400, tiles: 12 },
  },
  {
    id: 'grok-4',
    provider: 'xai',
    format: 'openai-chat',
    prices: { inputPerMillion: 3, outputPerMillion: 15, cacheReadPerMillion: 0.75 },
    contextWindow: 256_000,
    maxOutputTokens: 64_000,
    reasons: true,
    images: { base: 0, each: 448, tiles: 6 },
    reasoningIsExtra: true,
  },
]

/** The base URLs of the vendor that the gateway does not know, and of one whose region it does not. */
export const BASE_URLS: Readonly<Record<string, { baseUrl: string; apiFormat?: ApiFormat }>> = {
  'responses-vendor': { baseUrl: 'https://responses.example/v1', apiFormat: 'openai-responses' },
  bedrock: { baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com' },
}

export function findModel(id: string): SimulatedModel {
  const found = models.find((model) => model.id === id)
  if (!found) throw new Error(`there is no model ${id}`)
  return found
}
