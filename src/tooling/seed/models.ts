import { createOffer, type Offer } from '../../gateway/models/catalog/offers.ts'
import { PriceDatabase } from '../../gateway/models/catalog/price-database.ts'
import { createProvider } from '../../gateway/store/store.ts'

/** A model that seeded requests are sent to. */
export interface SeedModel {
  offer: Offer
  weight: number
  /** Median tokens of a prompt and of an answer. */
  prompt: number
  answer: number
}

/** Models with their weights, by provider. */
const MODELS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  openai: {
    'gpt-6.1-sol': 9,
    'gpt-6.1-terra': 10,
    'gpt-5.5': 4,
    'gpt-5.4-mini': 11,
    'gpt-5.4-nano': 6,
    'gpt-5.3-codex': 5,
    'gpt-4.1-mini': 3,
  },
  anthropic: { 'claude-sonnet-5-5': 14, 'claude-opus-5-5': 6, 'claude-haiku-5-5': 9, 'claude-haiku-4-5': 2 },
  gemini: { 'gemini-3.5-flash': 7, 'gemini-3.1-pro-preview': 3, 'gemini-2.5-flash-lite': 5 },
  mistral: { 'mistral-large-latest': 2, 'mistral-small-latest': 3, 'codestral-latest': 2 },
  deepseek: { 'deepseek-v4-pro': 3, 'deepseek-v4-flash': 4 },
  xai: { 'grok-4.3': 2, 'grok-code-fast-1': 2 },
  groq: { 'openai/gpt-oss-120b': 3, 'llama-3.3-70b-versatile': 2 },
  openrouter: { 'z-ai/glm-4.6': 2, 'moonshotai/kimi-k2-thinking': 1 },
  ollama: { 'qwen3:8b': 3, 'gemma3:12b': 2 },
}

/** It has no known price, so its cost is unknown. */
const UNPRICED = { provider: 'vllm', id: 'support-finetune-v2' }

/** 28 models. */
export function seedModels(now: number): SeedModel[] {
  const models = Object.entries(MODELS).flatMap(([provider, weights]) =>
    Object.entries(weights).map(([id, weight]) => createModel(pricedOffer(provider, id, now), weight)),
  )
  models.push(createModel({ ...unlistedOffer(UNPRICED.provider, UNPRICED.id, now), price: null }, 1))
  return models
}

function createModel(offer: Offer, weight: number): SeedModel {
  const small = /mini|nano|haiku|flash|lite|small|fast/.test(offer.id)
  return { offer, weight, prompt: small ? 900 : 3_200, answer: small ? 180 : 450 }
}

function pricedOffer(provider: string, id: string, now: number): Offer {
  const offer = unlistedOffer(provider, id, now)
  if (!offer.price) throw new Error(`The price database does not know ${provider} ${id}.`)
  return offer
}

const prices = new PriceDatabase()

/** As the catalog would offer it without the provider's model list. */
function unlistedOffer(providerId: string, id: string, now: number): Offer {
  const provider = createProvider({
    id: providerId,
    name: providerId,
    apiFormat: 'openai-chat',
    baseUrl: 'http://127.0.0.1:8000/v1',
    createdAt: now,
  })
  return createOffer({ id, provider, modelId: id, listing: {}, override: null }, prices, new Date(now))
}
