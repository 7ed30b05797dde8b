// Prices that are in neither the price database nor the model catalog: of searches, speech and other tiers of service.
import type { PriceOrigin, Pricing } from '../../../shared/api/models.ts'
import { createFlatPrice, createPriceByPrompt, type Price, type PriceBand } from './price-bands.ts'

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

/** Makes rows of prices on one page, which was read on the day `asOf`. */
function readFrom(vendor: string, source: string) {
  return (
    asOf: string,
    models: RegExp,
    pricing: Partial<Pricing>,
    kind: Pick<UnitPrice, 'alone' | 'corrects'> = {},
  ): UnitPrice => ({ vendor, source, asOf, models, pricing, ...kind })
}

const openaiPage = (page: string) => readFrom('openai', `developers.openai.com/api/docs/${page}`)
const openai = openaiPage('pricing')
const openaiPriority = readFrom('openai', 'openai.com/api-priority-processing')
const anthropic = readFrom('anthropic', 'platform.claude.com/docs/en/about-claude/pricing')
const google = readFrom('google', 'ai.google.dev/gemini-api/docs/pricing')

function priority(asOf: string, models: RegExp, factor: number): UnitPrice {
  return openaiPriority(asOf, models, { tierFactors: { priority: factor } })
}

/** The last row counts for a member, or a tier, that several rows have. */
const unitPrices: readonly UnitPrice[] = [
  openai('2026-11-22', /^(gpt-[4-9]|o\d|chat-latest|gpt-daybreak)/, {
    perThousandWebSearches: 10,
    perThousandFileSearches: 2.5,
  }),
  openai('2026-11-22', /^(gpt-[5-9]|o3|o4-mini)/, { tierFactors: { batch: 0.5, flex: 0.5 } }),
  priority('2026-11-22', /^gpt-(5|5-codex|5\.1|5\.1-codex|5\.2|5\.4|5\.4-mini)(-\d{4}-\d{2}-\d{2})?$/, 2),
  priority('2026-11-22', /^gpt-5-mini(-\d{4}-\d{2}-\d{2})?$/, 1.8),
  priority('2026-11-22', /^gpt-5\.5(-\d{4}-\d{2}-\d{2})?$/, 2.5),
  priority('2026-11-22', /^gpt-4\.1(-mini)?(-\d{4}-\d{2}-\d{2})?$|^gpt-4o-2024-05-13$/, 1.75),
  priority('2026-11-23', /^gpt-4\.1-nano(-\d{4}-\d{2}-\d{2})?$/, 2),
  priority('2026-11-23', /^gpt-4o-mini(-2024-07-18)?$/, 5 / 3),
  openai('2026-11-23', /^gpt-4o(-mini)?-search-preview/, { perThousandWebSearches: 25 }, { corrects: true }),
  priority('2026-11-23', /^gpt-4o(-2024-(08-06|11-20))?$/, 1.7),
  priority('2026-11-23', /^o3(-2025-04-16)?$/, 1.75),
  priority('2026-11-23', /^o4-mini(-2025-04-16)?$/, 20 / 11),
  openaiPage('models/gpt-4o-audio-preview')('2026-11-23', /^gpt-4o-audio-preview/, {
    audioInputPerMillion: 40,
    audioOutputPerMillion: 80,
  }),
  openaiPage('models/gpt-4o-mini-audio-preview')('2026-11-23', /^gpt-4o-mini-audio-preview/, {
    audioInputPerMillion: 10,
    audioOutputPerMillion: 20,
  }),
  openaiPage('models/tts-1')('2026-11-22', /^tts-1(-1106)?$/, { perMillionCharacters: 15 }, { alone: true }),
  openaiPage('models/tts-1-hd')(
    '2026-11-22',
    /^tts-1-hd(-1106)?$/,
    { perMillionCharacters: 30 },
    { alone: true },
  ),
  openaiPage('guides/moderation: the endpoint is free')(
    '2026-11-22',
    /^(omni|text)-moderation-/,
    {},
    { alone: true },
  ),
  anthropic('2026-11-22', /^claude-/, { perThousandWebSearches: 10, tierFactors: { batch: 0.5 } }),
  // Fast mode is removed from Opus 4.7, and falls back to the usual speed with Opus 4.6.
  anthropic('2026-11-23', /^claude-opus-(4-8|5)(-\d{8})?$/, { tierFactors: { fast: 2 } }),
  anthropic('2026-11-23', /^claude-[a-z]+-(4-[6-9]|[5-9])/, { tierFactors: { us: 1.1 } }),
  readFrom('groq', 'console.groq.com/docs/flex-processing')('2026-11-23', /./, { tierFactors: { flex: 1 } }),
  readFrom('google', 'ai.google.dev/gemini-api/docs/optimization')('2026-11-22', /^gemini-/, {
    tierFactors: { batch: 0.5, flex: 0.5 },
  }),
  google('2026-11-23', /^gemini-2\.5-flash(-preview)?-tts/, { audioOutputPerMillion: 10 }),
  google('2026-11-23', /^gemini-2\.5-pro(-preview)?-tts/, { audioOutputPerMillion: 20 }),
  // Per search. The free quota of each month is not known here.
  google('2026-11-22', /^gemini-([3-9]|\d\d)/, { perThousandWebSearches: 14 }),
  // Per prompt with searches. The free quota of each day is not known here.
  google('2026-11-22', /^gemini-[12]/, { perThousandWebSearches: 35 }),
  readFrom('mistral', 'mistral.ai/pricing/api')(
    '2026-07-16',
    /^voxtral-mini-tts/,
    { perMillionCharacters: 16 },
    { alone: true },
  ),
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
    return createPriceByPrompt([withUnits(first), ...longer.map(withUnits)], price.origin)
  }
  if (!last.alone) return undefined
  const origin: PriceOrigin = { source: 'override', match: 'exact', asOf: last.asOf }
  return createFlatPrice({ inputPerMillion: 0, outputPerMillion: 0, ...units }, origin)
}

function joinPrices(rows: readonly UnitPrice[]): Partial<Pricing> {
  const all: Partial<Pricing>[] = rows.map(({ pricing }) => pricing)
  const tierFactors = Object.assign({}, ...all.map((pricing) => pricing.tierFactors))
  return Object.assign({}, ...all, Object.keys(tierFactors).length > 0 && { tierFactors })
}
