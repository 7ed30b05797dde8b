// The options, tools and schemas of a request.

import type { ChatRequest } from '../../../../shared/formats/chat.ts'
import type {
  GeminiTool,
  GenerateContentRequest,
  GenerationConfig,
} from '../../../../shared/formats/gemini.ts'
import { wordSet } from '../../../../shared/values/text.ts'
import { invalidRequest } from '../../../platform/errors.ts'
import type { UnsupportedFeatures } from '../../chat/failure.ts'
import { EFFORTS, type Effort, THINKING_BUDGETS } from '../../chat/message-content.ts'
import { isGiven, isObject, type JsonObject } from '../../json/json.ts'

// Source: the Gemini API reference, `GenerationConfig`. `topK`, `mediaResolution` and other options of the format without a
// counterpart are left out for other providers.

const LEVELS: readonly Effort[] = ['minimal', 'low', 'medium', 'high']

/** The weakest effort whose budget is as large; null for the model's default. */
function decodeThinking({ thinkingConfig: config }: GenerationConfig): Effort | null {
  const level = config?.thinkingLevel?.toLowerCase()
  if (level !== undefined && level !== 'thinking_level_unspecified') {
    const effort = LEVELS.find((name) => name === level)
    if (effort !== undefined) return effort
    throw invalidRequest('The level is one of "MINIMAL", "LOW", "MEDIUM" and "HIGH".', {
      param: 'generationConfig.thinkingConfig.thinkingLevel',
    })
  }
  const budget = config?.thinkingBudget ?? -1
  if (budget < 0) return null
  const sufficient = EFFORTS.filter((effort) => effort !== 'minimal' && THINKING_BUDGETS[effort] >= budget)
  return sufficient[0] ?? 'high'
}

function decodeFormat(
  config: GenerationConfig,
  only: UnsupportedFeatures,
): ChatRequest['response_format'] | null {
  const type = config.responseMimeType ?? 'text/plain'
  if (type === 'text/plain') return null
  if (type !== 'application/json') {
    only.add(
      `Only Google can answer with the media type "${type.slice(0, 40)}".`,
      'generationConfig.responseMimeType',
    )
    return null
  }
  const schema = config.responseJsonSchema ?? (config.responseSchema && decodeSchema(config.responseSchema))
  return schema ? { type: 'json_schema', json_schema: { name: 'response', schema } } : { type: 'json_object' }
}

/** Members that change what kind of answer it is. */
function refuseOtherMedia(config: GenerationConfig, only: UnsupportedFeatures): void {
  const other = config.responseModalities?.find((name) => name.toUpperCase() !== 'TEXT')
  if (other !== undefined)
    only.add(
      `Only Google can answer with the modality "${other.slice(0, 40)}".`,
      'generationConfig.responseModalities',
    )
  if (isGiven(config.responseFormat))
    only.add('Only Google has this response format.', 'generationConfig.responseFormat')
}

export function decodeGenerationConfig(
  config: GenerationConfig,
  only: UnsupportedFeatures,
): Partial<ChatRequest> {
  refuseOtherMedia(config, only)
  const effort = decodeThinking(config)
  const format = decodeFormat(config, only)
  const fields = {
    max_completion_tokens: config.maxOutputTokens,
    temperature: config.temperature,
    top_p: config.topP,
    seed: config.seed,
    presence_penalty: config.presencePenalty,
    frequency_penalty: config.frequencyPenalty,
    n: config.candidateCount,
    stop: config.stopSequences?.length ? config.stopSequences : null,
    reasoning_effort: effort,
    response_format: format,
    ...(config.responseLogprobs && { logprobs: true, top_logprobs: config.logprobs }),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isGiven(value)))
}

// Functions and tool choice. Source: the Gemini API reference, `Tool` and `ToolConfig`.

type ToolFields = Pick<ChatRequest, 'tools' | 'tool_choice'>
type Declaration = NonNullable<GeminiTool['functionDeclarations']>[number]

/** Tools of Google that the model may do without if it has functions as well. */
const OPTIONAL = wordSet(`
  codeExecution enterpriseWebSearch exaAiSearch googleMaps googleSearch googleSearchRetrieval
  parallelAiSearch urlContext`)

function decodeDeclaration({ name, description, parameters, parametersJsonSchema }: Declaration) {
  const schema = parametersJsonSchema ?? (parameters && decodeSchema(parameters))
  return {
    type: 'function' as const,
    function: { name, ...(description && { description }), ...(schema && { parameters: schema }) },
  }
}

function decodeChoice(
  { toolConfig }: GenerateContentRequest,
  names: readonly string[],
): NonNullable<ChatRequest['tool_choice']> | null {
  const { mode: modeName = null, allowedFunctionNames: allowed } = toolConfig?.functionCallingConfig ?? {}
  const mode = modeName?.toUpperCase() ?? 'AUTO'
  const isForced = mode === 'ANY'
  switch (mode) {
    case 'MODE_UNSPECIFIED':
    case 'AUTO':
      return null
    case 'NONE':
      return 'none'
    case 'ANY':
    case 'VALIDATED': {
      const param = 'toolConfig.functionCallingConfig.allowedFunctionNames'
      const unknown = allowed?.find((name) => !names.includes(name))
      if (unknown !== undefined)
        throw invalidRequest(`"${unknown.slice(0, 100)}" is not declared in "tools".`, { param })
      const [first, another] = allowed ?? []
      if (first === undefined) return isForced ? 'required' : null
      if (isForced && another === undefined) return { type: 'function', function: { name: first } }
      const tools = (allowed ?? []).map((name) => ({ type: 'function', function: { name } }))
      return { type: 'allowed_tools', allowed_tools: { mode: isForced ? 'required' : 'auto', tools } }
    }
    default:
      throw invalidRequest('The mode is one of "AUTO", "ANY", "NONE" and "VALIDATED".', {
        param: 'toolConfig.functionCallingConfig.mode',
      })
  }
}

/**
 * Google's own tools are left out of a request with functions, except for those that the model cannot do without. A request
 * without functions depends on them.
 */
export function decodeTools(body: GenerateContentRequest, only: UnsupportedFeatures): ToolFields {
  const declaredTools = body.tools ?? []
  const tools = declaredTools.flatMap((tool) => (tool.functionDeclarations ?? []).map(decodeDeclaration))
  for (const [at, { functionDeclarations: _, ...others }] of declaredTools.entries()) {
    for (const name of Object.keys(others)) {
      if (tools.length > 0 && OPTIONAL.has(name)) continue
      only.add(`Only Google has the tool "${name.slice(0, 40)}".`, `tools[${at}].${name.slice(0, 40)}`)
    }
  }
  if (tools.length === 0) return {}
  const choice = decodeChoice(
    body,
    tools.map((tool) => tool.function.name),
  )
  return { tools, ...(choice !== null && { tool_choice: choice }) }
}

// Converts Google's `Schema`, a subset of OpenAPI 3.0, to JSON Schema. Source: the Gemini API reference, `Schema`.

/** Counts, which Google's clients write as texts. */
const COUNTS = wordSet(`
  maxItems maxLength maxProperties minItems minLength minProperties`)
/** Members whose values are schemas or lists of schemas. */
const SCHEMAS: ReadonlySet<string> = new Set(['additionalProperties', 'anyOf', 'items'])
/** Keywords without a counterpart. */
const DROPPED: ReadonlySet<string> = new Set(['nullable', 'propertyOrdering'])

function decodeValue(name: string, value: unknown): unknown {
  if (SCHEMAS.has(name)) return Array.isArray(value) ? value.map(decodeAny) : decodeAny(value)
  if (name === 'type' && typeof value === 'string') return value.toLowerCase()
  if (COUNTS.has(name) && typeof value === 'string') return Number(value)
  const isMap = (name === 'properties' || name === '$defs') && isObject(value)
  return isMap
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decodeAny(member)]))
    : value
}

function decodeAny(value: unknown): unknown {
  return isObject(value) ? decodeSchema(value) : value
}

function camelCase(name: string): string {
  return name.replace(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function makeNullable(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: values } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] }
  if (typeof type !== 'string') return schema
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) }
}

/** The enumerations of numbers are texts, too. */
function decodeEnum({ type, enum: values, ...rest }: JsonObject): JsonObject {
  const isNumber = type === 'integer' || type === 'number'
  return {
    ...(type !== undefined && type !== 'type_unspecified' && { type }),
    ...rest,
    ...(Array.isArray(values) && { enum: isNumber ? values.map(Number) : values }),
  }
}

/** Keywords of JSON Schema stay. */
export function decodeSchema(schema: JsonObject): JsonObject {
  const members = Object.entries(schema).map(([name, value]): [string, unknown] => [camelCase(name), value])
  const kept = members.filter(
    ([name, value]) => !DROPPED.has(name) && !(name === 'format' && value === 'enum'),
  )
  const decoded = decodeEnum(
    Object.fromEntries(
      kept.map(([name, value]) =>
        name === 'example' ? ['examples', [value]] : [name, decodeValue(name, value)],
      ),
    ),
  )
  return members.some(([name, value]) => name === 'nullable' && value === true)
    ? makeNullable(decoded)
    : decoded
}
