// Owns the prices that the kept database lacks, or has wrong: a dated table. It stands above the database and below what
// a provider's own list or the user says. Every row must differ from the database; a test tells when one may go.
// Source: the model catalogue of @earendil-works/pi-ai 1.5.2 (MIT), generated on the date below from the vendors'
// price pages; a write kept for an hour costs twice the input at Anthropic (its price page, "Prompt caching").

/** The day these figures were read. */
export const OVERRIDES_AS_OF = '2026-11-10'

/** USD per million tokens. */
interface TokenPrices {
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  /** Written to stay an hour instead of five minutes. */
  cacheWrite1h?: number
}

export interface OverridePrice extends TokenPrices {
  /** What every token costs once the prompt is longer than so many. */
  above?: TokenPrices & { tokens: number }
}

/** By the vendor's id in the price database, then by model. */
const rows: Readonly<Record<string, Readonly<Record<string, OverridePrice>>>> = {
  openai: {
    'chat-latest': { input: 5, output: 30, cacheRead: 0.5 },
    'gpt-5.3-codex-spark': { input: 1.75, output: 14, cacheRead: 0.175 },
    'gpt-5.6-cyber': { input: 12.5, output: 75, cacheRead: 1.25, cacheWrite: 15.625 },
    'gpt-6.1-sol': {
      input: 2,
      output: 10,
      cacheRead: 0.1,
      cacheWrite: 2.5,
      above: { tokens: 272_000, input: 4, output: 15, cacheRead: 0.2, cacheWrite: 5 },
    },
    'gpt-6.1-terra': {
      input: 1,
      output: 5,
      cacheRead: 0.05,
      cacheWrite: 1.25,
      above: { tokens: 272_000, input: 2, output: 7.5, cacheRead: 0.1, cacheWrite: 2.5 },
    },
    'gpt-daybreak-blue-latest': {
      input: 4,
      output: 20,
      cacheRead: 0.4,
      cacheWrite: 5,
      above: { tokens: 272_000, input: 8, output: 30, cacheRead: 0.8, cacheWrite: 10 },
    },
    'gpt-daybreak-red-latest': { input: 12.5, output: 75, cacheRead: 1.25, cacheWrite: 15.625 },
  },
  anthropic: {
    'claude-fable-5-2': { input: 8, output: 40, cacheRead: 0.2, cacheWrite: 10, cacheWrite1h: 16 },
    'claude-haiku-5-5': {
      input: 0.1,
      output: 0.5,
      cacheRead: 0.01,
      cacheWrite: 0.125,
      cacheWrite1h: 0.2,
      above: {
        tokens: 100_000,
        input: 0.5,
        output: 2.5,
        cacheRead: 0.05,
        cacheWrite: 0.625,
        cacheWrite1h: 1.0,
      },
    },
    'claude-sonnet-5-5': { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, cacheWrite1h: 4 },
  },
  google: {
    'deep-research-max-preview-04-2026': {
      input: 2,
      output: 12,
      cacheRead: 0.2,
      above: { tokens: 200_000, input: 4, output: 18, cacheRead: 0.4 },
    },
    'deep-research-preview-04-2026': {
      input: 2,
      output: 12,
      cacheRead: 0.2,
      above: { tokens: 200_000, input: 4, output: 18, cacheRead: 0.4 },
    },
    'gemini-2.5-computer-use-preview-10-2025': {
      input: 1.25,
      output: 10,
      above: { tokens: 200_000, input: 2.5, output: 15 },
    },
    'gemini-3.1-pro-preview-customtools': {
      input: 2,
      output: 12,
      cacheRead: 0.2,
      above: { tokens: 200_000, input: 4, output: 18, cacheRead: 0.4 },
    },
    'gemini-4-argon': { input: 2, output: 10, cacheRead: 0.1 },
    'gemini-flash-latest': { input: 1.5, output: 9, cacheRead: 0.15 },
    'gemini-flash-lite-latest': { input: 0.25, output: 1.5, cacheRead: 0.025 },
    'gemini-pro-latest': {
      input: 2,
      output: 12,
      cacheRead: 0.2,
      above: { tokens: 200_000, input: 4, output: 18, cacheRead: 0.4 },
    },
    'gemini-robotics-er-2-preview': { input: 1, output: 5, cacheRead: 0.1 },
  },
  'x-ai': {
    'grok-4.7': {
      input: 2,
      output: 6,
      cacheRead: 0.5,
      above: { tokens: 200_000, input: 4, output: 12, cacheRead: 1 },
    },
  },
  mistral: {
    'codestral-latest': { input: 0.3, output: 0.9, cacheRead: 0.03 },
    'deepseek-v4-1-flash-1017': { input: 0.3, output: 1.2, cacheRead: 0.007 },
    'devstral-latest': { input: 0.4, output: 2, cacheRead: 0.04 },
    'devstral-medium-latest': { input: 0.4, output: 2, cacheRead: 0.04 },
    'glm-5-2': { input: 1.4, output: 4.4, cacheRead: 0.14 },
    'magistral-medium-latest': { input: 2, output: 5, cacheRead: 0.2 },
    'ministral-3b-latest': { input: 0.1, output: 0.1, cacheRead: 0.01 },
    'mistral-large-4': { input: 0.7, output: 2.1, cacheRead: 0.07 },
    'mistral-large-4-0-8': { input: 0.7, output: 2.1, cacheRead: 0.07 },
    'mistral-large-latest': { input: 0.5, output: 1.5, cacheRead: 0.05 },
    'mistral-medium-2604': { input: 1.5, output: 7.5, cacheRead: 0.15 },
    'mistral-small-2506': { input: 0.1, output: 0.3, cacheRead: 0.01 },
    'mistral-small-latest': { input: 0.15, output: 0.6, cacheRead: 0.015 },
    'open-mistral-nemo': { input: 0.15, output: 0.15, cacheRead: 0.015 },
    'pixtral-12b': { input: 0.15, output: 0.15, cacheRead: 0.015 },
    'zai-glm-5-2': { input: 1.4, output: 4.4, cacheRead: 0.14 },
    'zai-glm-5-3': { input: 1.4, output: 4.4, cacheRead: 0.14 },
    'zai-glm-5-3-flash': { input: 0.15, output: 0.5, cacheRead: 0.03 },
  },
  deepseek: {
    'deepseek-flash': { input: 0.3, output: 1.2, cacheRead: 0.006 },
  },
  groq: {
    'openai/gpt-oss-safeguard-20b': { input: 0.075, output: 0.3, cacheRead: 0.0375 },
    'qwen/qwen3.6-27b': { input: 0.6, output: 3, cacheRead: 0.3 },
    'qwen/qwen3.8-27b': { input: 0.8, output: 4 },
  },
  together: {
    'deepseek-ai/DeepSeek-V4-Pro-0813': { input: 1.32, output: 3.96, cacheRead: 0.13 },
    'deepseek-ai/DeepSeek-V4.1-Flash': { input: 0.3, output: 1.2, cacheRead: 0.006 },
    'meta-models/Muse-Spark-Open-816B-A42B': { input: 1.25, output: 4.25, cacheRead: 0.15 },
    'MiniMaxAI/MiniMax-M3': { input: 0.3, output: 1.2, cacheRead: 0.06 },
    'moonshotai/Kimi-K3': { input: 3, output: 15, cacheRead: 0.3 },
    'moonshotai/Kimi-K3.1-Pro': { input: 2, output: 10, cacheRead: 0.2 },
    'nvidia/NVIDIA-Nemotron-3.5-Super-VL': { input: 0.15, output: 0.5, cacheRead: 0.02 },
    'openai/gpt-oss-120b': { input: 0.15, output: 0.6 },
    'Qwen/Qwen3.5-9B': { input: 0.17, output: 0.25 },
    'Qwen/Qwen3.6-Plus': { input: 0.5, output: 3 },
    'Qwen/Qwen3.7-Max': { input: 2.5, output: 7.5, cacheRead: 0.5 },
    'reflection/Beam-1.0-501B-A23B': { input: 0.4, output: 1.2, cacheRead: 0.04 },
    'thinkingmachines/Inkling': { input: 1, output: 4.05, cacheRead: 0.17 },
    'zai-org/GLM-5.2': { input: 1.4, output: 4.4, cacheRead: 0.26 },
    'zai-org/GLM-5.3': { input: 1.4, output: 4.4, cacheRead: 0.26 },
    'zai-org/GLM-5.3-Flash': { input: 0.15, output: 0.5, cacheRead: 0.03 },
  },
}

// Models are looked up by whatever name a client writes: a Map has none but its own (`constructor` is no model).
const byVendor = new Map(
  Object.entries(rows).map(([priceId, models]) => [priceId, new Map(Object.entries(models))]),
)

/** Our own price of a vendor's model, its release date ignored; null where the database is right. */
export function overridePrice(priceId: string, modelId: string): OverridePrice | null {
  const models = byVendor.get(priceId)
  return models?.get(modelId) ?? models?.get(modelId.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, '')) ?? null
}

/** Every row, for the test that holds the table against the database. */
export function listOverrides(): { priceId: string; modelId: string }[] {
  return [...byVendor].flatMap(([priceId, models]) =>
    [...models.keys()].map((modelId) => ({ priceId, modelId })),
  )
}
