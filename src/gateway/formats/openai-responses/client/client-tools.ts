// Tools that the client runs and that are no functions. The chat request has a function for each; calls and results are
// converted in both directions. Sources: the types of the `openai` package (`CustomTool`, `LocalShell`, `FunctionShellTool`,
// `ApplyPatchTool`, `ToolSearchTool` and their calls).
import { isObject, type JsonObject } from '../../json/json.ts'

export interface ClientToolType {
  /** The `type` of its items. */
  call: string
  output: string
  /** The member of the call's item that holds the arguments. */
  payload: string
  /** A JSON Schema of the arguments. */
  parameters: JsonObject
  description: string
  /** The arguments as the item has them. */
  complete(args: JsonObject): JsonObject
  /** Whether the client runs it, and not the provider. */
  isLocal(tool: JsonObject): boolean
}

const text = (description: string) => ({ type: 'string', description })
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description })
const milliseconds = { type: 'integer', description: 'The time limit in milliseconds.' }

const objectOf = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** By the `type` of the tool, which is also its name. */
export const clientToolTypes: Readonly<Record<string, ClientToolType>> = {
  local_shell: {
    call: 'local_shell_call',
    output: 'local_shell_call_output',
    payload: 'action',
    parameters: objectOf(
      {
        command: texts('The command and its arguments.'),
        working_directory: text('The directory to run it in.'),
        timeout_ms: milliseconds,
      },
      ['command'],
    ),
    description: "Runs a command on the user's machine.",
    complete: (args) => ({ command: [], env: {}, ...args, type: 'exec' }),
    isLocal: () => true,
  },
  shell: {
    call: 'shell_call',
    output: 'shell_call_output',
    payload: 'action',
    parameters: objectOf({ commands: texts('Shell commands.'), timeout_ms: milliseconds }, ['commands']),
    description: "Runs shell commands on the user's machine.",
    complete: (args) => ({ commands: [], timeout_ms: null, max_output_length: null, ...args }),
    isLocal: ({ environment }) => !isObject(environment) || environment.type === 'local',
  },
  apply_patch: {
    call: 'apply_patch_call',
    output: 'apply_patch_call_output',
    payload: 'operation',
    parameters: objectOf(
      {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: text('The path of the file.'),
        diff: text('The change as a V4A diff; not for delete_file.'),
      },
      ['type', 'path'],
    ),
    description: 'Creates, updates or deletes a file by a diff.',
    complete: (args) => args,
    isLocal: () => true,
  },
  tool_search: {
    call: 'tool_search_call',
    output: 'tool_search_output',
    payload: 'arguments',
    parameters: objectOf({ query: text('What the tool should do.') }, ['query']),
    description: 'Finds further tools.',
    complete: (args) => args,
    isLocal: ({ execution }) => execution === 'client',
  },
}

/** By the `type` of the call's item. */
export const clientToolOfCall: ReadonlyMap<string, ClientToolType & { name: string }> = new Map(
  Object.entries(clientToolTypes).map(([name, type]) => [type.call, { ...type, name }]),
)

export const CLIENT_TOOL_OUTPUTS: ReadonlySet<string> = new Set(
  Object.values(clientToolTypes).map(({ output }) => output),
)

const INPUT = 'input'

/** A tool that takes text becomes a function with one string. */
export function customToolSchema({ format }: JsonObject): JsonObject {
  return objectOf({ [INPUT]: text(describeFormat(format)) }, [INPUT])
}

function describeFormat(format: unknown): string {
  if (!isObject(format) || format.type !== 'grammar') return 'The input of the tool, as plain text.'
  const grammar = isObject(format.grammar) ? format.grammar : format
  return `The input of the tool, as plain text that matches this ${grammar.syntax} grammar:\n${grammar.definition}`
}

export function encodeCustomInput(input: string): string {
  return JSON.stringify({ [INPUT]: input })
}

/** The text of a call's arguments. A model may have named the member differently, or written no JSON at all. */
export function readCustomInput(args: string, parsed: unknown): string {
  if (typeof parsed === 'string') return parsed
  if (!isObject(parsed)) return args
  if (typeof parsed[INPUT] === 'string') return parsed[INPUT]
  const [only, ...others] = Object.values(parsed)
  return typeof only === 'string' && others.length === 0 ? only : args
}
