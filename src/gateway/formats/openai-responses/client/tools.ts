// Every tool that the client runs becomes a function of the chat request. Tools that the provider would run are left out.
import type { ChatRequest } from '../../../../shared/formats/chat.ts'
import type { ResponseRequest } from '../../../../shared/formats/responses.ts'
import type { UnsupportedFeatures } from '../../chat/failure.ts'
import { type GivenTool, isRunByClient, listTools } from '../../chat/given-tools.ts'
import { isObject, type JsonObject, listObjects, stringOr } from '../../json/json.ts'

type ChatTool = NonNullable<ChatRequest['tools']>[number]

interface NamedTool extends ToolOrigin {
  tool: JsonObject
}

interface Entry extends ToolOrigin {
  /** The name in the chat request. */
  flat: string
  chatTool: ChatTool
}

const CALLS: Readonly<Record<string, string>> = { function: 'function_call', custom: 'custom_tool_call' }

/** The tool if the client runs it, null for one that the provider runs. */
function asClientTool({ tool, namespace }: GivenTool): NamedTool | null {
  const { type, name } = tool
  const call = CALLS[stringOr(type, '')]
  if (call !== undefined) return typeof name === 'string' ? { call, name, namespace, tool } : null
  const kind = clientToolTypes[stringOr(type, '')]
  return kind && isRunByClient(tool) ? { call: kind.call, name: String(type), namespace: null, tool } : null
}

function chatTool({ call, tool }: NamedTool, name: string): ChatTool {
  const kind = clientToolTypes[stringOr(tool.type, '')]
  const described = stringOr(tool.description, kind?.description ?? null)
  const parameters =
    call === 'custom_tool_call'
      ? customToolSchema(tool)
      : isObject(tool.parameters)
        ? tool.parameters
        : kind?.parameters
  return {
    type: 'function',
    function: {
      name,
      ...(described !== null && { description: described }),
      ...(parameters && { parameters }),
      ...(tool.strict === true && { strict: true }),
    },
  }
}

/** The tools of one request by both of their names. */
export class ToolTable {
  readonly #entries: readonly Entry[]
  /** The types of the tools that are left out. */
  readonly hosted: readonly string[]

  /** `body`: a validated request. */
  constructor(body: JsonObject) {
    const entries = new Map<string, Entry>()
    const hosted: string[] = []
    for (const listed of listTools(body)) {
      const clientTool = asClientTool(listed)
      if (!clientTool) {
        hosted.push(String(listed.tool.type))
        continue
      }
      const { call, name, namespace } = clientTool
      let flat = flatName(name, namespace)
      const other = entries.get(flat)
      // A tool that is given again replaces the earlier one; another one of the same flat name gets a different one.
      if (other && (other.name !== name || other.namespace !== namespace))
        flat = hashedName(flat, JSON.stringify([namespace, name]))
      entries.set(flat, { call, name, namespace, flat, chatTool: chatTool(clientTool, flat) })
    }
    this.#entries = [...entries.values()]
    this.hosted = hosted
  }

  get chatTools(): ChatTool[] {
    return this.#entries.map((entry) => entry.chatTool)
  }

  /** The name in the chat request; also for a tool that is no longer given, in the history. */
  findFlatName(name: string, namespace: string | null): string {
    const entry = this.#entries.find(
      (candidate) => candidate.name === name && candidate.namespace === namespace,
    )
    return entry?.flat ?? flatName(name, namespace)
  }

  /** The client's tool behind a call by the model. An unknown name is a function's. */
  findOrigin(flat: string): ToolOrigin {
    const entry =
      this.#entries.find((candidate) => candidate.flat === flat) ??
      // Some models leave the namespace out.
      this.#onlyNamed(flat)
    return entry ?? { call: 'function_call', name: flat, namespace: null }
  }

  /** The flat names of the tools that a member of `allowed_tools` or a forced choice means; empty if none is known. */
  find({ type, name, namespace }: JsonObject): string[] {
    if (type === 'namespace')
      return this.#entries.filter((entry) => entry.namespace === name).map(({ flat }) => flat)
    const wanted = typeof name === 'string' ? name : type
    const within = typeof namespace === 'string' ? namespace : null
    const matches = this.#entries.filter((entry) => entry.name === wanted)
    const exact = matches.filter((entry) => entry.namespace === within)
    return (exact.length > 0 ? exact : matches).slice(0, 1).map(({ flat }) => flat)
  }

  #onlyNamed(name: string): Entry | undefined {
    const matches = this.#entries.filter((entry) => entry.name === name)
    return matches.length === 1 ? matches[0] : undefined
  }
}

const CHOICES = ['none', 'auto', 'required']

/** The members of the chat request for the tools and their choice. */
export function decodeTools(
  request: ResponseRequest,
  table: ToolTable,
  refused: UnsupportedFeatures,
): Pick<ChatRequest, 'tools' | 'tool_choice' | 'parallel_tool_calls'> {
  const { choice, names } = decodeChoice(request, table, refused)
  const all = table.chatTools
  const tools = names ? all.filter(({ function: called }) => isObject(called) && names.has(called.name)) : all
  if (tools.length === 0) {
    if (choice === 'required') refuseHosted(table.hosted[0] ?? 'required', refused)
    return {}
  }
  const { parallel_tool_calls: parallel } = request
  return {
    tools,
    ...(choice !== null && { tool_choice: choice }),
    ...(typeof parallel === 'boolean' && { parallel_tool_calls: parallel }),
  }
}

interface Choice {
  choice: (ChatRequest['tool_choice'] & {}) | null
  /** The functions to which the choice is limited; null for all. */
  names: ReadonlySet<unknown> | null
}

function decodeChoice(request: ResponseRequest, table: ToolTable, refused: UnsupportedFeatures): Choice {
  const choice = request.tool_choice ?? null
  if (choice === null) return { choice: null, names: null }
  if (typeof choice === 'string') {
    if (!CHOICES.includes(choice)) refuseHosted(choice, refused)
    return { choice, names: null }
  }
  if (choice.type === 'allowed_tools') {
    const allowed = listObjects(choice.tools)
    const names = new Set(allowed.flatMap((tool) => table.find(tool)))
    return { choice: choice.mode === 'required' ? 'required' : 'auto', names }
  }
  const [name] = table.find(choice)
  if (name !== undefined) return { choice: { type: 'function', function: { name } }, names: null }
  if (choice.type === 'function' || choice.type === 'custom')
    refused.refuse('"tool_choice" names a tool that is not in "tools".', 'tool_choice')
  else refuseHosted(choice.type, refused)
  return { choice: null, names: null }
}

function refuseHosted(type: string, refused: UnsupportedFeatures): void {
  refused.add(`the tool choice "${type}"`, 'tool_choice')
}

// Tools that the client runs and that are no functions. The chat request has a function for each; calls and results are
// converted in both directions. Sources: the types of the `openai` package (`CustomTool`, `LocalShell`, `FunctionShellTool`,
// `ApplyPatchTool`, `ToolSearchTool` and their calls).

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
}

const text = (description: string) => ({ type: 'string', description })
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description })
const milliseconds = { type: 'integer', description: 'The time limit in milliseconds.' }

const describeObject = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** Indexed by the tool's `type`, which is also its name. */
const clientToolTypes: Readonly<Record<string, ClientToolType>> = {
  local_shell: {
    call: 'local_shell_call',
    output: 'local_shell_call_output',
    payload: 'action',
    parameters: describeObject(
      {
        command: texts('The command and its arguments.'),
        working_directory: text('The directory to run it in.'),
        timeout_ms: milliseconds,
      },
      ['command'],
    ),
    description: "Runs a command on the user's machine.",
    complete: (args) => ({ command: [], env: {}, ...args, type: 'exec' }),
  },
  shell: {
    call: 'shell_call',
    output: 'shell_call_output',
    payload: 'action',
    parameters: describeObject({ commands: texts('Shell commands.'), timeout_ms: milliseconds }, [
      'commands',
    ]),
    description: "Runs shell commands on the user's machine.",
    complete: (args) => ({ commands: [], timeout_ms: null, max_output_length: null, ...args }),
  },
  apply_patch: {
    call: 'apply_patch_call',
    output: 'apply_patch_call_output',
    payload: 'operation',
    parameters: describeObject(
      {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: text('The path of the file.'),
        diff: text('The change as a V4A diff; not for delete_file.'),
      },
      ['type', 'path'],
    ),
    description: 'Creates, updates or deletes a file by a diff.',
    complete: (args) => args,
  },
  tool_search: {
    call: 'tool_search_call',
    output: 'tool_search_output',
    payload: 'arguments',
    parameters: describeObject({ query: text('What the tool should do.') }, ['query']),
    description: 'Finds further tools.',
    complete: (args) => args,
  },
}

/** Indexed by the `type` of the call's item. */
export const clientToolsByCall: ReadonlyMap<string, ClientToolType & { name: string }> = new Map(
  Object.entries(clientToolTypes).map(([name, type]) => [type.call, { ...type, name }]),
)

export const CLIENT_TOOL_OUTPUTS: ReadonlySet<string> = new Set(
  Object.values(clientToolTypes).map(({ output }) => output),
)

const INPUT = 'input'

/** A tool that takes text becomes a function with one string. */
function customToolSchema({ format }: JsonObject): JsonObject {
  return describeObject({ [INPUT]: text(describeFormat(format)) }, [INPUT])
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

// Function names of the chat-completions format: `^[a-zA-Z0-9_-]{1,64}$`. Tools in a namespace have a name within it.

const MAX_LENGTH = 64
const HASH_LENGTH = 8

/** The tool that a flat name in the chat request stands for, as the answer must name it. */
export interface ToolOrigin {
  /** The type of the call's item. */
  call: string
  name: string
  namespace: string | null
}

/** A name that the chat-completions format allows: the name itself where it can be. */
function flatName(name: string, namespace: string | null): string {
  if (namespace === null) return name
  const separator = namespace.endsWith('__') ? '' : '__'
  const joined = `${namespace}${separator}${name}`
  const safe = joined.replace(/[^a-zA-Z0-9_-]/g, '_')
  return safe === joined && safe.length <= MAX_LENGTH ? safe : hashedName(safe, joined)
}

/** A name that hardly any other tool has. */
function hashedName(name: string, identity: string): string {
  return `${name.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash(identity)}`
}

/** FNV-1a, 32 bits. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return (value >>> 0).toString(16).padStart(HASH_LENGTH, '0')
}
