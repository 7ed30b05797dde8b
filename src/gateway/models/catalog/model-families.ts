import type { Capability } from '../../../shared/api/models.ts'
import type { Quirks } from '../../formats/chat/codec-types.ts'

/** Tokens of the largest image at the highest detail: upper bounds for reservations, not estimates. */
const IMAGE_BOUNDS: readonly [RegExp, number][] = [
  // OpenAI's documentation: 2,833 and 5,667 for each of at most eight tiles.
  [/(^|\/)gpt-4o-mini/, 48_200],
  // OpenAI's documentation: 85 and 170 for each of at most eight tiles.
  [/(^|\/)gpt-4o/, 1_500],
  // Anthropic's documentation: 4,784 at the highest resolution that is not scaled down.
  [/(^|\/)claude-/, 4_800],
]

/** Measured: 14,364 for a photo of 12 megapixels with the newest OpenAI models, up to 16,384 with Qwen's. */
const UNKNOWN_IMAGE_BOUND = 16_384

/** The highest number of tokens that the model counts for one image. */
export function boundImageTokens(modelId: string): number {
  const id = modelId.toLowerCase()
  return IMAGE_BOUNDS.find(([pattern]) => pattern.test(id))?.[1] ?? UNKNOWN_IMAGE_BOUND
}

/**
 * Published comparisons (as of 2026-11) find that Claude's tokenizers produce about 16 % more tokens for English prose
 * and up to 30 % more for code than GPT-4o's. The other families are within 10 %, less than the error of an estimate.
 */
const CLAUDE_FACTOR = 1.2

/** All values of `findTokenFactor`. */
export const TOKEN_FACTORS: readonly number[] = [1, CLAUDE_FACTOR]

/** How many tokens of the model one token of o200k_base is, for estimates; 1 for an unknown family. */
export function findTokenFactor(modelId: string): number {
  return /(^|\/)claude-/i.test(modelId) ? CLAUDE_FACTOR : 1
}

/** The tokens of a model with the factor `to`, for the same text that had `tokens` of a model with the factor `from`. */
export function convertTokens(tokens: number, from: number, to: number): number {
  return from === to ? tokens : Math.round((tokens * to) / from)
}

/** Defaults for models without details in the provider's list and the shipped data. */
interface Family {
  pattern: RegExp
  capabilities: readonly Capability[]
  /** Tokens; null if unknown. */
  maxOutputTokens: number | null
  /** The requirements of its models, at every provider. */
  quirks: Quirks
}

const text: readonly Capability[] = ['tools', 'json', 'streaming']
const seeing: readonly Capability[] = ['vision', ...text]
const thinking: readonly Capability[] = ['vision', 'tools', 'json', 'reasoning', 'streaming']

/** Models that choose their own sampling reject these fields with 400. */
const NO_SAMPLING = ['temperature', 'top_p', 'top_k']
const CLAUDE_EFFORTS = ['none', 'low', 'medium', 'high', 'xhigh', 'max'] as const

const NEWER_LIMIT: Quirks = { outputLimit: 'max_completion_tokens' }
/** Models that do not reason. */
const PLAIN_NEWER: Quirks = { ...NEWER_LIMIT, thinking: 'none' }
const PLAIN_EITHER: Quirks = { outputLimit: 'either', thinking: 'none' }

/**
 * OpenAI's reasoning models reject with 400 (`unsupported_parameter`) `max_tokens`, penalties and `logit_bias`, and to
 * sampling, `logprobs` and `stop` while they reason. From GPT-5.1 on reasoning can be off (`reasoning_effort: none`), which
 * is the default of 5.1, 5.2 and 5.4; GPT-5 and the o series always reason; `gpt-5-chat` never does. Sources: OpenAI's
 * guides ("Using GPT-5.2", parameter compatibility; "Reasoning", limitations), its API reference (`stop`), and the answers
 * quoted in vercel/ai#10932, BerriAI/litellm#28662, #15244, langchain-ai/langchain#35423. From GPT-5.5 on, functions are
 * rejected on this API unless the effort is `none`, also where none is given (BerriAI/litellm#34569, LibreChat#14355,
 * onyx#15008, oh-my-pi#11052). The pro, codex and research models exist in the Responses API only ("This model is only
 * supported in v1/responses", HeyPuter/puter#1303, block/goose#2564; langchain-ai/langchain#35594; the types
 * `ResponsesModel` and `ChatModel` of OpenAI's SDK).
 */
const PENALTIES = ['presence_penalty', 'frequency_penalty', 'logit_bias']
const SAMPLING = ['temperature', 'top_p', 'logprobs', 'top_logprobs', 'stop']
const GPT_REASONING: Quirks = { ...NEWER_LIMIT, dropFields: PENALTIES, dropWhileReasoning: SAMPLING }
const ALWAYS_REASONING: Quirks = { ...NEWER_LIMIT, dropFields: [...PENALTIES, ...SAMPLING] }

const SEARCHES_ONCE: Quirks = { searchesOnce: true }
const ONLY_RESPONSES: Quirks = { onlyResponses: true }

const BUDGET_ONLY: Quirks = { thinking: 'budget', reasoningOffByDefault: true }

function family(
  pattern: RegExp,
  capabilities: readonly Capability[],
  maxOutputTokens: number | null = null,
  quirks: Quirks = {},
): Family {
  return { pattern, capabilities, maxOutputTokens, quirks }
}

/** The first match wins. Sources: the vendors' model pages and API references, as of 2026-11. */
const families: readonly Family[] = [
  family(/moderation/, ['moderation']),
  family(/rerank/, ['rerank']),
  family(/embed(?!ded)|^(bge|gte|e5|voyage|all-minilm|snowflake-arctic|jina-(v|clip|code))-?/, [
    'embeddings',
  ]),
  family(/whisper|transcri/, ['transcription']),
  family(/^tts-|^(?!gemini).*-tts(-|$)|orpheus|kokoro/, ['speech']),
  family(/^(gpt-image|chatgpt-image|dall-e|imagen|flux|stable-diffusion)|^grok.*-image/, ['images']),
  family(/^gpt-5.*-search-api/, text, 16_384, { ...PLAIN_NEWER, ...SEARCHES_ONCE }),
  family(/^gpt-4o.*-search-preview/, text, 16_384, { ...PLAIN_EITHER, ...SEARCHES_ONCE }),
  family(/^gpt-5-chat/, seeing, 16_384, PLAIN_NEWER),
  family(/^gpt-((5\.\d|[6-9]).*-(pro|codex|cyber)|daybreak|(\d-)?rosalind)/, thinking, 128_000, {
    ...GPT_REASONING,
    ...ONLY_RESPONSES,
  }),
  family(/^gpt-5-(pro|codex)/, thinking, 128_000, { ...ALWAYS_REASONING, ...ONLY_RESPONSES }),
  family(/^(o\d-pro|o\d.*-deep-research|codex)/, thinking, 100_000, {
    ...ALWAYS_REASONING,
    ...ONLY_RESPONSES,
  }),
  family(/^gpt-5\.[124](-mini|-nano)?(-\d{4}-\d\d-\d\d)?$/, thinking, 128_000, {
    ...GPT_REASONING,
    reasoningOffByDefault: true,
  }),
  family(/^gpt-(5\.[5-9]|[6-9])(?!.*-chat)/, thinking, 128_000, {
    ...GPT_REASONING,
    noReasoningWithTools: true,
  }),
  family(/^(gpt-5\.\d|gpt-[6-9]|chat-latest)/, thinking, 128_000, GPT_REASONING),
  family(/^gpt-5/, thinking, 128_000, ALWAYS_REASONING),
  family(/^o\d/, thinking, 100_000, ALWAYS_REASONING),
  family(/^(gpt-4o|gpt-4\.1|gpt-4-turbo|chatgpt-4o)/, seeing, 32_768, PLAIN_EITHER),
  family(/^gpt-(4|3\.5)/, text, 8_192, PLAIN_EITHER),
  // Always thinking.
  family(/^claude-opus-5-5/, thinking, 128_000, {
    efforts: CLAUDE_EFFORTS.slice(1),
    dropFields: NO_SAMPLING,
    noForcedTools: true,
  }),
  family(/^claude-(sonnet-5-5|fable-5)/, thinking, 128_000, {
    efforts: CLAUDE_EFFORTS.slice(1),
    dropFields: NO_SAMPLING,
  }),
  // Since Claude 5, models think unless the request disables it.
  family(/^claude-opus-4-[78]/, thinking, 128_000, {
    efforts: CLAUDE_EFFORTS,
    dropFields: NO_SAMPLING,
    reasoningOffByDefault: true,
  }),
  family(/^claude-(opus|sonnet)-4-6/, thinking, 128_000, {
    efforts: ['none', 'low', 'medium', 'high', 'max'],
    reasoningOffByDefault: true,
  }),
  family(/^claude-((opus|sonnet|haiku)-4-5|sonnet-4|3-7)/, thinking, 64_000, BUDGET_ONLY),
  family(/^claude-opus-4(-[01]|-2025|$)/, thinking, 32_000, BUDGET_ONLY),
  family(/^claude-3-5/, seeing, 8_192, { thinking: 'none' }),
  family(/^claude-3-/, seeing, 4_096, { thinking: 'none' }),
  family(/^claude-/, thinking, 128_000, { efforts: CLAUDE_EFFORTS, dropFields: NO_SAMPLING }),
  family(/^gemini-(1|2\.0)/, seeing, 8_192, { thinking: 'none' }),
  family(/^gemini-2\.5-pro/, thinking, 65_536, {
    thinking: 'budget',
    efforts: ['minimal', 'low', 'medium', 'high'],
  }),
  family(/^gemini-2\.5/, thinking, 65_536, { thinking: 'budget' }),
  family(/^gemini-(3-flash|3\.[156]-flash|robotics)/, thinking, 65_536, {
    efforts: ['minimal', 'low', 'medium', 'high'],
  }),
  family(/^gemini-4/, thinking, 32_768, { efforts: ['low', 'medium', 'high'] }),
  family(/^gemini-/, thinking, 65_536, { efforts: ['low', 'medium', 'high'] }),
  family(/^gemma-/, seeing, 32_768, { thinking: 'none' }),
  // 97 reasoning tokens for one of text, with a limit of 64: BerriAI/litellm#39426.
  family(/^grok-/, thinking, null, { unlimitedReasoning: true }),
  family(/^(pixtral|mistral-(medium|small))/, seeing),
  family(/^deepseek-/, ['tools', 'json', 'reasoning', 'streaming'], 65_536),
]

/**
 * The vendor's own id in a cloud's id of the model: `claude-sonnet-4-5-20250929` for
 * `us.anthropic.claude-sonnet-4-5-20250929-v1:0` and `claude-sonnet-4-5@20250929`.
 */
export function findVendorId(modelId: string): string {
  const hosted = /^(?:.*\/)?(?:[a-z]+(?:-[a-z]+)?\.)?(?:anthropic|openai)\.(.+?)(?:-v\d+)?(?::\d+)?$/.exec(
    modelId,
  )?.[1]
  return hosted ?? modelId.replace(/^(claude-.+)@/, '$1-')
}

/** The family of a model id without its prefixes (`openai/gpt-4o`, `ft:gpt-4o:acme`); null for an unknown one. */
export function findFamily(modelId: string): Family | null {
  const name = bareName(modelId).replace(/^ft:/, '')
  return families.find((family) => family.pattern.test(name)) ?? null
}

function bareName(modelId: string): string {
  return modelId.slice(modelId.lastIndexOf('/') + 1).toLowerCase()
}

/** Sources: the model pages of OpenAI, Perplexity ("Citation tokens") and Groq ("Compound"), and OpenRouter's guide "Web search". */
const SEARCHING = /-search-api|^sonar-deep-research|^compound|:online$/

/** Whether the model searches although the request does not ask for it, and bills what it finds as input. */
export function searchesByItself(modelId: string): boolean {
  return SEARCHING.test(bareName(modelId))
}
