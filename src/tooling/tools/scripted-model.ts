// The model behind the tools, the same in every API format: it runs one command with the tool's own shell, then answers with
// a text. Its usage is always the same.
import { randomUUID } from 'node:crypto'
import { isObject, type JsonObject, listObjects } from '../../gateway/formats/json/json.ts'
import type { RecordedRequest } from '../../gateway/upstream/testing/test-upstream.ts'
import { NO_TOKENS, type VendorAnswer, vendorFormats } from '../../gateway/upstream/testing/vendor-formats.ts'
import type { ApiFormat } from '../../shared/api/providers.ts'

export const ANSWER = 'Hello from behind the gateway.'

/** Written to the project by the command. */
export const WRITTEN_FILE = 'written-by-the-model.txt'
export const COMMAND = `echo done > ${WRITTEN_FILE}`

/** Tokens. `input` includes those read from the cache, `output` those of reasoning. */
export const USAGE = { input: 1000, cached: 400, output: 200, reasoning: 50 }

export const TOKENS = {
  ...NO_TOKENS,
  input: USAGE.input - USAGE.cached,
  cacheRead: USAGE.cached,
  text: USAGE.output - USAGE.reasoning,
  reasoning: USAGE.reasoning,
}

export const PRICING = { inputPerMillion: 1, outputPerMillion: 2, cacheReadPerMillion: 0.5 }

/** The cost of each answer: 600 + 400 / 2 + 200 · 2 millionths of a dollar. */
export const COST_USD = 0.0012

/**
 * Prices for a test of a spend cap. Input is free, because its cost is estimated until the answer ends, and the estimate
 * exceeds the scripted usage.
 */
export const CAPPED_PRICING = { inputPerMillion: 0, outputPerMillion: 2 }
export const CAPPED_COST_USD = 0.0004

interface OfferedTool {
  name: string
  /** The JSON schema of its arguments. */
  schema: unknown
}

/** The facts that decide the model's answer. */
export interface Situation {
  tools: readonly OfferedTool[]
  /** The results of tools in the conversation. */
  results: number
  /** Whether the model has no more commands to run. */
  isDone: boolean
  model: string
}

/** Reads a request in any of the API formats. */
export function readSituation({ path, json }: Pick<RecordedRequest, 'path' | 'json'>): Situation {
  const body = json()
  const results = JSON.stringify(body).match(RESULT)?.length ?? 0
  const [, named = ''] = /\/models\/(.+):/.exec(path) ?? []
  return { tools: listTools(body.tools), results, isDone: results > 0, model: String(body.model ?? named) }
}

const RESULT = /"type":"(?:tool_result|function_call_output)"|"functionResponse":|"role":"tool"/g

/** The tools of a list, and those of groups in it: declarations of Google, and namespaces of Codex. */
function listTools(list: unknown): OfferedTool[] {
  return listObjects(list).flatMap((tool) => {
    const declared = isObject(tool.function) ? tool.function : tool
    const schema = declared.parametersJsonSchema ?? declared.parameters ?? declared.input_schema
    const isFunction = schema !== undefined || tool.type === 'function'
    return [
      ...(isFunction ? [{ name: String(declared.name), schema }] : []),
      ...listTools(tool.functionDeclarations),
      ...listTools(tool.tools),
    ]
  })
}

export type Reply = { text: string; call: null } | { text: null; call: { name: string; args: string } }

/** The answer as a vendor gives it. `usage` replaces its own. */
export function createAnswer(
  format: ApiFormat,
  { text, call }: Reply,
  { results, model }: Situation,
  usage: object = vendorFormats[format].usage(TOKENS),
): VendorAnswer {
  return {
    ...(call ? { call: { ...call, id: `call_${results + 1}` } } : { texts: [text] }),
    model,
    usage,
    id: randomUUID(),
  }
}

/** The names of the tools' shells. */
const SHELLS = /^(bash|shell|shell_command|exec_command|run_shell_command|run_commands|execute_command)$/i

/** Requests without a shell, such as those for a title, get the text too. */
export function reply({ tools, isDone }: Situation): Reply {
  const shell = tools.find(({ name }) => SHELLS.test(name))
  if (!shell || isDone) return { text: ANSWER, call: null }
  return { text: null, call: { name: shell.name, args: JSON.stringify(shellArguments(shell.schema)) } }
}

/** Arguments that satisfy the schema: the command, and neutral values for other required ones. */
function shellArguments(schema: unknown): JsonObject {
  const { properties, required } = isObject(schema) ? schema : {}
  const members = isObject(properties) ? properties : {}
  const names = Object.keys(members).filter(
    (name) => isCommand(name) || (Array.isArray(required) && required.includes(name)),
  )
  return Object.fromEntries(names.map((name) => [name, argument(name, members[name])]))
}

const isCommand = (name: string) => /^(command|commands|cmd)$/.test(name)

function argument(name: string, schema: unknown): unknown {
  const { type: types, enum: values } = isObject(schema) ? schema : {}
  const type = typeof types === 'string' ? types.toLowerCase() : undefined
  if (isCommand(name)) {
    if (type === 'string') return COMMAND
    return name === 'commands' ? [COMMAND] : ['bash', '-c', COMMAND]
  }
  if (Array.isArray(values)) return values[0]
  const neutral: Record<string, unknown> = { boolean: false, number: 10_000, integer: 10_000, array: [] }
  return neutral[type ?? ''] ?? 'Write a file.'
}
