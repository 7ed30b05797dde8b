// Owns the models that seeded requests went to, with their real prices at the time. Knows nothing of requests.

import { type Rates, ratesOf } from '../../gateway/billing/cost.ts'
import { pricedModel } from '../../gateway/catalog/prices.ts'
import type { AppliedPrice } from '../../shared/requests.ts'

export interface SeedModel {
  id: string
  provider: string
  weight: number
  /** Tokens, half of the requests below it. */
  prompt: number
  answer: number
  /** Null for one that nobody knows the price of. */
  price: AppliedPrice | null
  rates: Rates | null
}

const FREE = { inputPerMillion: 0, outputPerMillion: 0 }

/** Provider, the vendor's name in the price database (null where the models run at home), and models by weight. */
const VENDORS: readonly [string, string | null, Readonly<Record<string, number>>][] = [
  [
    'openai',
    'openai',
    {
      ...{ 'gpt-6.1-sol': 9, 'gpt-6.1-terra': 10, 'gpt-5.5': 4, 'gpt-5.4-mini': 11, 'gpt-5.4-nano': 6 },
      ...{ 'gpt-5.3-codex': 5, 'gpt-4.1-mini': 3 },
    },
  ],
  [
    'anthropic',
    'anthropic',
    { 'claude-sonnet-5-5': 14, 'claude-opus-5-5': 6, 'claude-haiku-5-5': 9, 'claude-haiku-4-5': 2 },
  ],
  ['gemini', 'google', { 'gemini-3.5-flash': 7, 'gemini-3.1-pro-preview': 3, 'gemini-2.5-flash-lite': 5 }],
  ['mistral', 'mistral', { 'mistral-large-latest': 2, 'mistral-small-latest': 3, 'codestral-latest': 2 }],
  ['deepseek', 'deepseek', { 'deepseek-v4-pro': 3, 'deepseek-v4-flash': 4 }],
  ['xai', 'x-ai', { 'grok-4.3': 2, 'grok-code-fast-1': 2 }],
  ['groq', 'groq', { 'openai/gpt-oss-120b': 3, 'llama-3.3-70b-versatile': 2 }],
  ['openrouter', 'openrouter', { 'z-ai/glm-4.6': 2, 'moonshotai/kimi-k2-thinking': 1 }],
  ['ollama', null, { 'qwen3:8b': 3, 'gemma3:12b': 2 }],
]

/** No list has a price for it, so what it costs is unknown. */
const UNPRICED = { provider: 'vllm', id: 'house-finetune-v2' }

/** 28 models. `even` gives them all the same weight. */
export function seedModels(now: number, even: boolean): SeedModel[] {
  const models = VENDORS.flatMap(([provider, vendor, weights]) =>
    Object.entries(weights).map(([id, weight]) => model(provider, id, weight, priceOf(vendor, id, now))),
  )
  models.push(model(UNPRICED.provider, UNPRICED.id, 1, null))
  return even ? models.map((each) => ({ ...each, weight: 1 })) : models
}

function model(provider: string, id: string, weight: number, price: AppliedPrice | null): SeedModel {
  const small = /mini|nano|haiku|flash|lite|small|fast/.test(id)
  return {
    id,
    provider,
    weight,
    prompt: small ? 900 : 3_200,
    answer: small ? 180 : 450,
    price,
    rates: price && ratesOf(price.pricing),
  }
}

function priceOf(vendor: string | null, id: string, now: number): AppliedPrice {
  const known = vendor === null ? null : pricedModel(vendor, id, new Date(now))
  if (vendor !== null && !known) throw new Error(`The price database does not know ${vendor} ${id}.`)
  return {
    pricing: known?.price.pricing ?? FREE,
    origin: known?.price.origin ?? { source: 'local', match: 'exact', asOf: null },
    plan: 'pay-as-you-go',
    discountPercent: 0,
    reportedByProvider: false,
  }
}
