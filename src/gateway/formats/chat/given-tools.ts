// The tools of a request in any format, wherever it has them. Sources: the API references and packages of OpenAI (`Tool`,
// `NamespaceTool`, `AdditionalTools`, `ToolSearchOutput`), Anthropic (`BetaToolUnion`, `BetaRequestToolAdditionBlock`,
// `BetaCompactionBlockParam`), Google (`Tool`) and Moonshot (tools of a message).

import { asObject, isObject, type JsonObject } from '../json/json.ts'

export interface GivenTool {
  tool: JsonObject
  /** Where the request has it, such as `input[0].tools[1]`. */
  param: string
  /** The name of the namespace that it is in. */
  namespace: string | null
}

/** A list of MCP tools that a provider has called before only describes them. */
const DESCRIBED: readonly unknown[] = ['mcp_list_tools', 'mcp_tool_listing']

/** The tools of a request, those of its namespaces, and those that its conversation adds. */
export function listTools({ tools, input, messages }: JsonObject): GivenTool[] {
  const list = expand(tools, 'tools')
  addFromPlaces(input, 'input', list)
  addFromPlaces(messages, 'messages', list)
  return list
}

/** Adds the tools of items, of messages with their blocks, or of changes before a compaction. Few requests have any. */
function addFromPlaces(places: unknown, param: string, list: GivenTool[]): void {
  if (!Array.isArray(places)) return
  for (const [at, place] of places.entries()) {
    if (!isObject(place)) continue
    const { type, tools, tool, tool_changes: changes, content } = place
    if (tools !== undefined && !DESCRIBED.includes(type)) list.push(...expand(tools, `${param}[${at}].tools`))
    const { definition } = asObject(tool)
    if (isObject(definition)) list.push({ tool: definition, param: `${param}[${at}].tool`, namespace: null })
    if (changes !== undefined) addFromPlaces(changes, `${param}[${at}].tool_changes`, list)
    if (Array.isArray(content) && param === 'messages')
      addFromPlaces(content, `${param}[${at}].content`, list)
  }
}

/** Google accepts an object instead of a list of one. */
function expand(tools: unknown, param: string, namespace: string | null = null): GivenTool[] {
  if (isObject(tools)) return [{ tool: tools, param, namespace }]
  return listPlaces(tools, param).flatMap(([tool, at]) => {
    if (tool.type !== 'namespace') return [{ tool, param: at, namespace }]
    return expand(tool.tools, `${at}.tools`, typeof tool.name === 'string' ? tool.name : namespace)
  })
}

function listPlaces(list: unknown, param: string): [JsonObject, string][] {
  if (!Array.isArray(list)) return []
  return list.flatMap((tool: unknown, at) => (isObject(tool) ? [[tool, `${param}[${at}]`]] : []))
}

/** Tools that Anthropic defines and the client runs, so that their results are in the body. */
const CLIENT_TOOLS = /^(bash|browser_toolset|computer|computer_toolset|memory|text_editor)_\d+$/
const OWN_TOOLS: readonly unknown[] = [
  'function',
  'custom',
  'apply_patch',
  'local_shell',
  'computer',
  'computer_use_preview',
]

/** Whether the client runs the tool, so that the provider adds nothing to the prompt by it. */
export function isRunByClient(tool: JsonObject): boolean {
  const { type, name, environment, execution } = tool
  // A tool without a type is a function of Anthropic's format, or one of Google's, which are members.
  if (typeof type !== 'string') return typeof name === 'string' || Object.keys(tool).every(isDeclarations)
  if (type === 'shell') return !isObject(environment) || environment.type === 'local'
  if (type === 'tool_search') return execution === 'client'
  return OWN_TOOLS.includes(type) || CLIENT_TOOLS.test(type)
}

function isDeclarations(member: string): boolean {
  return /^function_?declarations$/i.test(member)
}
