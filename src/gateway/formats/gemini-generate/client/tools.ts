// Functions and tool choice. Source: the Gemini API reference, `Tool` and `ToolConfig`.
import type { ChatRequest } from '../../../../shared/chat.ts'
import type { GeminiTool, GenerateContentRequest } from '../../../../shared/gemini.ts'
import { invalidRequest } from '../../../platform/errors.ts'
import type { Untranslatable } from '../../chat/untranslatable.ts'
import { decodeSchema } from './schema.ts'

type ToolFields = Pick<ChatRequest, 'tools' | 'tool_choice'>
type Declaration = NonNullable<GeminiTool['functionDeclarations']>[number]

/** Tools of Google that the model may do without if it has functions as well. */
const OPTIONAL: ReadonlySet<string> = new Set([
  'codeExecution',
  'enterpriseWebSearch',
  'exaAiSearch',
  'googleMaps',
  'googleSearch',
  'googleSearchRetrieval',
  'parallelAiSearch',
  'urlContext',
])

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
  const { mode: given = null, allowedFunctionNames: allowed } = toolConfig?.functionCallingConfig ?? {}
  const mode = given?.toUpperCase() ?? 'AUTO'
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
export function decodeTools(body: GenerateContentRequest, only: Untranslatable): ToolFields {
  const given = body.tools ?? []
  const tools = given.flatMap((tool) => (tool.functionDeclarations ?? []).map(decodeDeclaration))
  for (const [at, { functionDeclarations: _, ...others }] of given.entries()) {
    for (const name of Object.keys(others)) {
      only.addExternalContent()
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
