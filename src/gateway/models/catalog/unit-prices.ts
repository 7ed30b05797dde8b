// Prices that are in neither the price database nor the model catalog: of searches, speech and other tiers of service.
import type { PriceOrigin, Pricing } from '../../../shared/models.ts'
import { flatPrice, type Price, type PriceBand, priceByPrompt } from './price-bands.ts'

interface UnitPrice {
  /** The vendor's id in the price database. */
  vendor: string
  models: RegExp
  pricing: Partial<Pricing>
  source: string
  /** When the source was read. */
  asOf: string
  /** The models have no other price. */
  alone?: true
  /** The price database has another one, which is wrong. */
  corrects?: true
}

/** For a member, or a tier, that several rows have, the last row counts. */
const unitPrices: readonly UnitPrice[] = [
  {
    vendor: 'openai',
    models: /^(gpt-[4-9]|o\d|chat-latest|gpt-daybreak)/,
    pricing: { perThousandWebSearches: 10, perThousandFileSearches: 2.5 },
    source: 'developers.openai.com/api/docs/pricing',
    asOf: '2026-11-22',
  },
  {
    vendor: 'openai',
    models: /^(gpt-[5-9]|o3|o4-mini)/,
    pricing: { tierFactors: { batch: 0.5, flex: 0.5 } },
    source: 'developers.openai.com/api/docs/pricing',
    asOf: '2026-11-22',
  },
  {
    vendor: 'openai',
    models: /^gpt-(5|5-codex|5\.1|5\.1-codex|5\.2|5\.4|5\.4-mini)(-\d{4}-\d{2}-\d{2})?$/,
    pricing: { tierFactors: { priority: 2 } },
    source: 'openai.com/api-priority-processing',
    asOf: '2026-11-22',
  },
  {
    vendor: 'openai',
    models: /^gpt-5-mini(-\d{4}-\d{2}-\d{2})?$/,
    pricing: { tierFactors: { priority: 1.8 } },
    source: 'openai.com/api-priority-processing',
    asOf: '2026-11-22',
  },
  {
    vendor: 'openai',
    models: /^gpt-5\.5(-\d{4}-\d{2}-\d{2})?$/,
    pricing: { tierFactors: { priority: 2.5 } },
    source: 'openai.com/api-priority-processing',
    asOf: '2026-11-22',
  },
  {
    vendor: 'openai',
    models: /^gpt-4\.1(-mini)?(-\d{4}-\d{2}-\d{2})?$|^gpt-4o-2024-05-13$/,
    pricing: { tierFactors: { priority: 1.75 } },
    source: 'openai.com/api-priority-processing',
    asOf: '2026-11-22',
  },
  {
    vendor: 'openai',
    models: /^gpt-4\.1-nano(-\d{4}-\d{2}-\d{2})?$/,
    pricing: { tierFactors: { priority: 2 } },
    source: 'openai.com/api-priority-processing',
    asOf: '2026-11-23',
  },
  {
    vendor: 'openai',
    models: /^gpt-4o-mini(-2024-07-18)?$/,
    pricing: { tierFactors: { priority: 5 / 3 } },
    source: 'openai.com/api-priority-processing',
    asOf: '2026-11-23',
  },
  {
    vendor: 'openai',
    models: /^gpt-4o(-mini)?-search-preview/,
    pricing: { perThousandWebSearches: 25 },
    source: 'developers.openai.com/api/docs/pricing',
    asOf: '2026-11-23',
    corrects: true,
  },
  {
    vendor: 'openai',
    models: /^gpt-4o(-2024-(08-06|11-20))?$/,
    pricing: { tierFactors: { priority: 1.7 } },
    source: 'openai.com/api-priority-processing',
    asOf: '2026-11-23',
  },
  {
    vendor: 'openai',
    models: /^o3(-2025-04-16)?$/,
    pricing: { tierFactors: { priority: 1.75 } },
    source: 'openai.com/api-priority-processing',
    asOf: '2026-11-23',
  },
  {
    vendor: 'openai',
    models: /^o4-mini(-2025-04-16)?$/,
    pricing: { tierFactors: { priority: 20 / 11 } },
    source: 'openai.com/api-priority-processing',
    asOf: '2026-11-23',
  },
  {
    vendor: 'openai',
    models: /^gpt-4o-audio-preview/,
    pricing: { audioInputPerMillion: 40, audioOutputPerMillion: 80 },
    source: 'developers.openai.com/api/docs/models/gpt-4o-audio-preview',
    asOf: '2026-11-23',
  },
  {
    vendor: 'openai',
    models: /^gpt-4o-mini-audio-preview/,
    pricing: { audioInputPerMillion: 10, audioOutputPerMillion: 20 },
    source: 'developers.openai.com/api/docs/models/gpt-4o-mini-audio-preview',
    asOf: '2026-11-23',
  },
  {
    vendor: 'openai',
    models: /^tts-1(-1106)?$/,
    pricing: { perMillionCharacters: 15 },
    source: 'developers.openai.com/api/docs/models/tts-1',
    asOf: '2026-11-22',
    alone: true,
  },
  {
    vendor: 'openai',
    models: /^tts-1-hd(-1106)?$/,
    pricing: { perMillionCharacters: 30 },
    source: 'developers.openai.com/api/docs/models/tts-1-hd',
    asOf: '2026-11-22',
    alone: true,
  },
  {
    vendor: 'openai',
    models: /^(omni|text)-moderation-/,
    pricing: {},
    source: 'developers.openai.com/api/docs/guides/moderation: the endpoint is free',
    asOf: '2026-11-22',
    alone: true,
  },
  {
    vendor: 'anthropic',
    models: /^claude-/,
    pricing: { perThousandWebSearches: 10, tierFactors: { batch: 0.5 } },
    source: 'platform.claude.com/docs/en/about-claude/pricing',
    asOf: '2026-11-22',
  },
  {
    // Fast mode is removed from Opus 4.7, and falls back to the usual speed with Opus 4.6.
    vendor: 'anthropic',
    models: /^claude-opus-(4-8|5)(-\d{8})?$/,
    pricing: { tierFactors: { fast: 2 } },
    source: 'platform.claude.com/docs/en/about-claude/pricing',
    asOf: '2026-11-23',
  },
  {
    vendor: 'anthropic',
    models: /^claude-[a-z]+-(4-[6-9]|[5-9])/,
    pricing: { tierFactors: { us: 1.1 } },
    source: 'platform.claude.com/docs/en/about-claude/pricing',
    asOf: '2026-11-23',
  },
  {
    vendor: 'groq',
    models: /./,
    pricing: { tierFactors: { flex: 1 } },
    source: 'console.groq.com/docs/flex-processing',
    asOf: '2026-11-23',
  },
  {
    vendor: 'google',
    models: /^gemini-/,
    pricing: { tierFactors: { batch: 0.5, flex: 0.5 } },
    source: 'ai.google.dev/gemini-api/docs/optimization',
    asOf: '2026-11-22',
  },
  {
    vendor: 'google',
    models: /^gemini-2\.5-flash(-preview)?-tts/,
    pricing: { audioOutputPerMillion: 10 },
    source: 'ai.google.dev/gemini-api/docs/pricing',
    asOf: '2026-11-23',
  },
  {
    vendor: 'google',
    models: /^gemini-2\.5-pro(-preview)?-tts/,
    pricing: { audioOutputPerMillion: 20 },
    source: 'ai.google.dev/gemini-api/docs/pricing',
    asOf: '2026-11-23',
  },
  {
    // Per search. The free quota of each month is not known here.
    vendor: 'google',
    models: /^gemini-([3-9]|\d\d)/,
    pricing: { perThousandWebSearches: 14 },
    source: 'ai.google.dev/gemini-api/docs/pricing',
    asOf: '2026-11-22',
  },
  {
    // Per prompt with searches. The free quota of each day is not known here.
    vendor: 'google',
    models: /^gemini-[12]/,
    pricing: { perThousandWebSearches: 35 },
    source: 'ai.google.dev/gemini-api/docs/pricing',
    asOf: '2026-11-22',
  },
  {
    vendor: 'mistral',
    models: /^voxtral-mini-tts/,
    pricing: { perMillionCharacters: 16 },
    source: 'mistral.ai/pricing/api',
    asOf: '2026-07-16',
    alone: true,
  },
]

/** The price with those of units that it lacks; for a model without another price, that of its units alone. */
export function withUnitPrices(vendor: string, modelId: string, price: Price | undefined): Price | undefined {
  const rows = unitPrices.filter((row) => row.vendor === vendor && row.models.test(modelId))
  const last = rows.at(-1)
  if (!last) return price
  const units = joinPrices(rows)
  const corrected = joinPrices(rows.filter(({ corrects }) => corrects))
  if (price) {
    const withUnits = ({ above, pricing }: PriceBand) => ({
      above,
      pricing: { ...units, ...pricing, ...corrected },
    })
    const [first, ...longer] = price.bands
    return priceByPrompt([withUnits(first), ...longer.map(withUnits)], price.origin)
  }
  if (!last.alone) return undefined
  const origin: PriceOrigin = { source: 'override', match: 'exact', asOf: last.asOf }
  return flatPrice({ inputPerMillion: 0, outputPerMillion: 0, ...units }, origin)
}

function joinPrices(rows: readonly UnitPrice[]): Partial<Pricing> {
  const all: Partial<Pricing>[] = rows.map(({ pricing }) => pricing)
  const tierFactors = Object.assign({}, ...all.map((pricing) => pricing.tierFactors))
  return Object.assign({}, ...all, Object.keys(tierFactors).length > 0 && { tierFactors })
}
