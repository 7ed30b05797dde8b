// Extras of a request that are billed on top of the model's own tokens, or at other prices, in any API format: hosted tools,
// searches, tiers of service and fast modes. An extra that is not listed here has no known price. Sources: the API
// references and price pages of OpenAI ("Built-in tools"), Anthropic ("Specific tool pricing", "Fast mode pricing", "Data
// residency"), Google ("Grounding", "Tools"), OpenRouter ("Plugins"), xAI and Groq, as of 2026-11.

import { asObject, isGiven, isObject, type JsonObject, listObjects, wholeNumber } from '../json/json.ts'
import { type GivenTool, listTools } from './given-tools.ts'
import { otherTier } from './usage.ts'

/** The basis on which an extra is billed: only tokens, a unit of the price, or something that no price has. */
type Billing = 'tokens' | SearchUnit | 'audioOutput' | 'other'
type SearchUnit = 'webSearches' | 'fileSearches'

interface Extra {
  /** Where the request asks for it, such as `tools[1]`. */
  param: string
  name: string
  billing: Billing
  /** How often the request lets the tool be used, if it says so. */
  uses?: number | null
}

export interface RequestedExtras {
  /** Only what is billed on top of tokens. */
  tools: readonly Extra[]
  /** Searches to reserve: as many as the request allows. */
  searches: Partial<Record<SearchUnit, number>>
  /** A tool that may search without a limit. */
  unlimited: Extra | null
  /** The tier of service, if not the standard one. */
  tier: { param: string; name: string } | null
}

const MAX_SEARCHES = 1_000
/** Searches to reserve for a request that does not limit them. */
const USUAL_SEARCHES = 10

/**
 * The billing by the type of a tool. Computers, shells and editors that the client runs, and servers of the Model Context
 * Protocol, cost tokens only.
 */
const TOOL_TYPES: readonly [RegExp, Billing][] = [
  [/^(function|custom|apply_patch|local_shell|mcp|tool_search|computer|computer_use_preview)$/, 'tokens'],
  [/^(bash|browser_toolset|computer|computer_toolset|memory|text_editor|web_fetch)_\d+$/, 'tokens'],
  [/^(tool_search_tool_(bm25|regex)(_\d+)?|mcp_toolset)$/, 'tokens'],
  [/^(web_search(_preview)?(_\d+)*|openrouter:web_search)$/, 'webSearches'],
  [/^openrouter:datetime$/, 'tokens'],
  [/^file_search$/, 'fileSearches'],
]

/** Google's tools are members, in camelCase or in snake_case. */
const TOOL_MEMBERS: Readonly<Record<string, Billing>> = {
  codeexecution: 'tokens',
  computeruse: 'tokens',
  filesearch: 'tokens',
  functiondeclarations: 'tokens',
  googlesearch: 'webSearches',
  googlesearchretrieval: 'webSearches',
  mcpservers: 'tokens',
  urlcontext: 'tokens',
}

/** Members of requests in OpenAI's formats. A stored prompt can have tools that the request does not show. */
const MEMBERS: readonly [name: string, Billing][] = [
  ['web_search_options', 'webSearches'],
  ['enable_search', 'webSearches'],
  ['search_parameters', 'other'],
  ['data_sources', 'other'],
  ['compound_custom', 'other'],
  ['prompt', 'other'],
]
/** Members of Google's `generationConfig` by which another model serves, at its own price. */
const MODEL_CHOICES = ['routingConfig', 'modelSelectionConfig']

/** OpenRouter's, by their `id`. */
const PLUGINS: Readonly<Record<string, Billing>> = {
  'context-compression': 'tokens',
  'response-healing': 'tokens',
  web: 'webSearches',
}

/** Searching with the older tool costs more with models that do not reason. */
const NO_REASONING = /^(chatgpt-4o|gpt-4)/
/** The versions from which running code is free of charge with Anthropic's tools for the web. */
const CODE_IS_FREE = /^web_(fetch|search)_(2026(020[9]|02[1-9]|0[3-9]|1)|202[7-9])/
const CODE_EXECUTION = /^code_execution_\d+$/

export interface AskedModel {
  /** The provider's id. */
  id: string
  /** How often it searches the web without being asked. */
  searches: 'never' | 'once' | 'often'
}

export function readExtras(request: JsonObject, model: AskedModel): RequestedExtras {
  const { id, searches } = model
  const modelExtras: Extra[] =
    searches === 'never' ? [] : [{ param: 'model', name: id, billing: 'webSearches' }]
  const all = [...readTools(request, id), ...readMembers(request), ...readModalities(request), ...modelExtras]
  const tools = all.filter(({ billing }) => billing !== 'tokens')
  return { tools, ...countSearches(tools, request, model), tier: readTier(request) }
}

function readTools(request: JsonObject, modelId: string): Extra[] {
  const tools = listTools(request)
  const isCodeFree = tools.some(({ tool }) => CODE_IS_FREE.test(String(tool.type)))
  return tools.flatMap(({ tool, param }) => {
    const { type } = tool
    if (typeof type !== 'string') return readToolMembers(tool, param)
    const uses = wholeNumber(tool.max_uses, 1, MAX_SEARCHES)
    return [{ param, name: type, billing: findBilling(tool, type, { isCodeFree, modelId }), uses }]
  })
}

function findBilling(
  { environment }: JsonObject,
  type: string,
  { isCodeFree, modelId }: { isCodeFree: boolean; modelId: string },
): Billing {
  if (type === 'shell') return !isObject(environment) || environment.type === 'local' ? 'tokens' : 'other'
  if (isCodeFree && CODE_EXECUTION.test(type)) return 'tokens'
  if (type.startsWith('web_search_preview') && NO_REASONING.test(modelId)) return 'other'
  return TOOL_TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? 'other'
}

/** A tool without a type is Google's, or a function of Anthropic's format. */
function readToolMembers(tool: JsonObject, param: string): Extra[] {
  if (typeof tool.name === 'string') return []
  return Object.entries(tool)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name]) => {
      const billing = TOOL_MEMBERS[name.replaceAll('_', '').toLowerCase()] ?? 'other'
      return { param, name, billing }
    })
}

function readMembers(request: JsonObject): Extra[] {
  const members = MEMBERS.filter(
    ([name]) => isObject(request[name]) || request[name] === true || listObjects(request[name]).length > 0,
  )
  const config = asObject(request.generationConfig)
  const choices = MODEL_CHOICES.filter((name) => isObject(config[name]))
  return [
    ...members.map(([name, billing]) => ({ param: name, name, billing })),
    ...choices.map((name): Extra => ({ param: `generationConfig.${name}`, name, billing: 'other' })),
    ...listObjects(request.plugins).map(({ id }, at) => ({
      param: `plugins[${at}]`,
      name: String(id),
      billing: PLUGINS[String(id)] ?? 'other',
    })),
  ]
}

/** OpenAI's `modalities`, and Google's `responseModalities`. */
function readModalities({ modalities, generationConfig: config }: JsonObject): Extra[] {
  const lists: [string, unknown][] = [
    ['modalities', modalities],
    ['generationConfig.responseModalities', isObject(config) ? config.responseModalities : null],
  ]
  return lists
    .filter(
      ([, value]) =>
        Array.isArray(value) && value.some((modality) => String(modality).toLowerCase() === 'audio'),
    )
    .map(([param]) => ({ param, name: 'audio', billing: 'audioOutput' }))
}

/** Gemini 2.5 and earlier models are billed once for a prompt with searches. */
const BILLED_ONCE = /^gemini-[12]\b/

function countSearches(
  tools: readonly Extra[],
  request: JsonObject,
  { id, searches }: AskedModel,
): Pick<RequestedExtras, 'searches' | 'unlimited'> {
  const isOnce = searches === 'once' || BILLED_ONCE.test(id)
  const all = isOnce ? 1 : wholeNumber(request.max_tool_calls, 1, MAX_SEARCHES)
  const most: RequestedExtras['searches'] = {}
  for (const { billing, uses } of tools) {
    if (billing !== 'webSearches' && billing !== 'fileSearches') continue
    most[billing] = Math.min((most[billing] ?? 0) + (uses ?? USUAL_SEARCHES), all ?? Infinity)
    if (all !== null) most[billing] = all
  }
  const isUnlimited = ({ billing, uses }: Extra) => billing.endsWith('Searches') && !uses
  return { searches: most, unlimited: all === null ? (tools.find(isUnlimited) ?? null) : null }
}

/** OpenAI, Groq and Google call it a tier; Anthropic has a speed and a region besides, which multiply. */
function readTier(request: JsonObject): RequestedExtras['tier'] {
  const asked = ['service_tier', 'serviceTier', 'speed', 'inference_geo'].flatMap((param) => {
    const name = otherTier(request[param], param).otherTier
    return name === undefined ? [] : [{ param, name }]
  })
  const [first, another] = asked
  if (!first || !another) return first ?? null
  return { param: another.param, name: `${first.name} and ${another.name}` }
}

/** Bytes of the answer that the client predicts (OpenAI's Predicted Outputs): what the model rejects of it is billed as output. */
export function measurePrediction({ prediction }: JsonObject): number {
  return isGiven(prediction) ? Buffer.byteLength(JSON.stringify(prediction)) : 0
}

/** Tools that the client runs and that the vendor describes to the model. */
export function countVendorTools(request: JsonObject): number {
  const isOwn = ({ tool: { type } }: GivenTool) =>
    typeof type === 'string' && type !== 'custom' && type !== 'function'
  return listTools(request).filter(isOwn).length
}

const BETA = 'anthropic-beta'
/** Betas of Anthropic that enlarge the context window, such as `context-1m-2025-08-07`. */
const WINDOW_BETA = /(?:^|[\s,])context-(\d{1,4})([km])-/gi

/**
 * Tokens of the context window that a beta of Anthropic asks for; 0 if none does. `headers`: those of the provider's configuration and
 * of the request.
 */
export function readAskedWindow(headers: readonly Readonly<Record<string, unknown>>[]): number {
  let window = 0
  for (const sent of headers)
    for (const name of Object.keys(sent)) {
      if (!name.toLowerCase().endsWith(BETA)) continue
      for (const [, number, unit] of [sent[name]].flat().join().matchAll(WINDOW_BETA))
        window = Math.max(window, Number(number) * (unit?.toLowerCase() === 'm' ? 1_000_000 : 1_000))
    }
  return window
}
