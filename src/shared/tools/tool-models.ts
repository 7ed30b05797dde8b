import type { ModelRecord } from '../api/models.ts'
import type { ToolInput } from './tool-config.ts'

type Candidate = Pick<
  ModelRecord,
  'id' | 'provider' | 'pricing' | 'capabilities' | 'contextWindow' | 'maxOutputTokens'
>

/**
 * The models that a tool works best with. The first pattern that a model matches wins; among its matches, the newest model.
 */
interface ModelPreference {
  patterns: readonly RegExp[]
  smallPatterns?: readonly RegExp[]
}

// Ids may begin with the vendor's name: `anthropic/claude-sonnet-5`. Dated and special variants come last.
const CLAUDE: ModelPreference = {
  patterns: [
    /(^|\/)claude-sonnet-\d+([.-]\d{1,2})?$/,
    /(^|\/)claude-opus-\d+([.-]\d{1,2})?$/,
    /(^|\/)claude-/,
  ],
  smallPatterns: [/(^|\/)claude-haiku-\d+([.-]\d{1,2})?$/, /(^|\/)claude-.*haiku/],
}
const GPT: ModelPreference = {
  patterns: [/(^|\/)gpt-\d+(\.\d+)?(-codex)?$/, /(^|\/)gpt-\d/],
}
const GEMINI: ModelPreference = {
  patterns: [/(^|\/)gemini-\d+(\.\d+)?-pro(-preview)?$/, /(^|\/)gemini-.*-flash/, /(^|\/)gemini-/],
}
const QWEN: ModelPreference = { patterns: [/(^|\/)qwen.*coder/i, /(^|\/)qwen/i] }

const preferences: Readonly<Record<string, ModelPreference>> = {
  'claude-code': CLAUDE,
  'anthropic-sdk': CLAUDE,
  codex: GPT,
  gemini: GEMINI,
  'google-genai': GEMINI,
  qwen: QWEN,
}

/**
 * The default model: the first of a real provider, preferably one with a known price, because a key with a cap cannot use
 * the others; otherwise the small sandbox model.
 */
export function pickModel(models: readonly Pick<Candidate, 'id' | 'provider' | 'pricing'>[]): string {
  const external = models.filter(({ provider }) => provider !== 'sandbox')
  return (external.find(({ pricing }) => pricing !== null) ?? external[0])?.id ?? 'sandbox-small'
}

/** The models in a tool's configuration: those that the user chose, else the defaults for the tool. */
export function describeModels(
  models: readonly Candidate[],
  tool: string,
  chosen: string | null,
): Pick<ToolInput, 'model' | 'smallModel' | 'limits' | 'searches'> {
  const { model, smallModel } =
    chosen === null ? pickToolModels(models, tool) : { model: chosen, smallModel: chosen }
  const { contextWindow, maxOutputTokens, pricing } = models.find(({ id }) => id === model) ?? {}
  const searches = pricing?.perThousandWebSearches !== undefined
  return contextWindow && maxOutputTokens
    ? { model, smallModel, searches, limits: { context: contextWindow, output: maxOutputTokens } }
    : { model, smallModel, searches }
}

function pickToolModels(models: readonly Candidate[], tool: string): { model: string; smallModel: string } {
  const usable = models.filter(({ provider, pricing }) => provider !== 'sandbox' && pricing !== null)
  const withTools = usable.filter(({ capabilities }) => capabilities.includes('tools'))
  const { patterns = [], smallPatterns = [] } = preferences[tool] ?? {}
  const model = newestMatch(usable, patterns) ?? pickModel(withTools.length > 0 ? withTools : models)
  return { model, smallModel: newestMatch(usable, smallPatterns) ?? model }
}

/** Whether one of the models is a tool's own kind, so that the models that it asks for by itself are likely to exist. */
export function hasOwnModels(models: readonly Candidate[], tool: string): boolean {
  return newestMatch(models, preferences[tool]?.patterns ?? []) !== null
}

function newestMatch(models: readonly Candidate[], patterns: readonly RegExp[]): string | null {
  for (const pattern of patterns) {
    const ids = models.map(({ id }) => id).filter((id) => pattern.test(id))
    ids.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    if (ids[0] !== undefined) return ids[0]
  }
  return null
}
