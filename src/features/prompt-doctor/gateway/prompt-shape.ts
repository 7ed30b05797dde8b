// What a prompt consists of: the size of its parts, and hashes by which the next request of the session is compared with it. The
// hashes have a key of this process and stay in its memory, so nothing that is stored could identify a text.
import { hash, randomBytes } from 'node:crypto'
import { isInstruction } from '../../../gateway/formats/chat/message-content.ts'
import { asObject, isObject, type JsonObject } from '../../../gateway/formats/json/json.ts'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import type { PromptPart } from '../api/prompts.ts'

const KEY = randomBytes(16).toString('hex')
const [SEED_A = 0, SEED_B = 0] = new Uint32Array(randomBytes(8).buffer.slice(0, 8))
/** Characters of a text that its hash is made of. */
const SAMPLES = 16
/** Characters of text that an image or a file counts as: about 1,500 tokens. */
const MEDIA_SIZE = 6_000
/** The names of tools are kept up to this number. */
const MAX_NAMES = 200

interface ToolServer {
  tools: number
  size: number
}

export interface PromptShape {
  /** Characters. */
  sizes: Record<PromptPart, number>
  /** The definitions of tools by MCP server; '' for others. */
  servers: Map<string, ToolServer>
  /** The size of results by tool. */
  results: Map<string, number>
  /** The tools that were called in the conversation. */
  called: Set<string>
  /** Hashes, in order. */
  tools: number[]
  system: number[]
  messages: number[]
}

/** The MCP server of a tool by its name, as agents write it: `mcp__server__tool` or `mcp_server_tool`; '' for others. */
export function findServer(name: string): string {
  const [, server] = /^mcp__(.+?)__/.exec(name) ?? /^mcp_([^_]+)_/.exec(name) ?? []
  return server ?? ''
}

export function readPromptShape({ messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>): PromptShape {
  const shape: PromptShape = {
    sizes: { system: 0, tools: 0, history: 0, results: 0, media: 0 },
    servers: new Map(),
    results: new Map(),
    called: new Set(),
    tools: [],
    system: [],
    messages: [],
  }
  for (const tool of tools ?? []) addTool(shape, tool)
  const names = new Map<string, string>()
  let begun = false
  for (const message of messages) {
    begun ||= !isInstruction(message)
    const digest = new Digest(message.role)
    digest.add(message.content)
    if (message.role === 'tool') digest.add(message.tool_call_id)
    if (message.role === 'assistant') digest.add(message.tool_calls)
    if (begun) shape.messages.push(digest.value)
    else shape.system.push(hashWhole(message.content))
    shape.sizes.media += digest.media
    if (message.role === 'tool') {
      const name = names.get(message.tool_call_id) ?? message.name ?? ''
      shape.sizes.results += digest.size
      if (shape.results.size < MAX_NAMES)
        shape.results.set(name, (shape.results.get(name) ?? 0) + digest.size)
      continue
    }
    shape.sizes[isInstruction(message) ? 'system' : 'history'] += digest.size
    if (message.role !== 'assistant') continue
    for (const { id, function: called, custom } of message.tool_calls ?? []) {
      const name = called?.name ?? (isObject(custom) ? custom.name : null)
      if (typeof name !== 'string') continue
      names.set(id, name)
      if (shape.called.size < MAX_NAMES) shape.called.add(name)
    }
  }
  return shape
}

interface KnownTool {
  server: string
  size: number
}

/** Tools by their hashes: the same ones come with every request. */
const knownTools = new Map<number, KnownTool>()
const MAX_KNOWN = 5_000

function addTool(shape: PromptShape, tool: JsonObject): void {
  const { name, description, parameters } = asObject(isObject(tool.function) ? tool.function : tool.custom)
  const digest = new Digest('tool')
  digest.add(name)
  digest.add(description)
  // Deeper parts of the schema of the arguments take long to read, and hardly ever change alone.
  digest.add(Object.keys(asObject(asObject(parameters).properties)).join())
  let knownTool = knownTools.get(digest.value)
  if (!knownTool) {
    knownTool = {
      server: findServer(typeof name === 'string' ? name : ''),
      size: JSON.stringify(tool).length,
    }
    if (knownTools.size >= MAX_KNOWN) knownTools.clear()
    knownTools.set(digest.value, knownTool)
  }
  shape.tools.push(digest.value)
  shape.sizes.tools += knownTool.size
  const { tools, size } = shape.servers.get(knownTool.server) ?? { tools: 0, size: 0 }
  shape.servers.set(knownTool.server, { tools: tools + 1, size: size + knownTool.size })
}

/** Marks move on with the conversation. */
const MARKS: ReadonlySet<string> = new Set(['cache_control', 'prompt_cache_breakpoint'])
const MEDIA: ReadonlySet<unknown> = new Set(['image_url', 'input_audio', 'file'])

/** Instructions often differ by a date or a number only. */
function hashWhole(content: unknown): number {
  const texts = Array.isArray(content) ? content.map((part) => asObject(part).text) : [content]
  return Number.parseInt(hash('sha1', KEY + texts.join('\n')).slice(0, 13), 16)
}

/** The texts of a value in their order, whatever their form: clients move marks, which make a list of a text. */
class Digest {
  size = 0
  media = 0
  #a = SEED_A
  #b = SEED_B

  constructor(kind: string) {
    this.#mix(kind)
  }

  get value(): number {
    return (this.#a >>> 0) * 0x20_0000 + (this.#b & 0x1f_ffff)
  }

  add(value: unknown): void {
    if (typeof value === 'string') {
      this.size += value.length
      this.#mix(value)
    } else if (Array.isArray(value)) for (const each of value) this.add(each)
    else if (typeof value === 'object' && value !== null) {
      const sizeBefore = this.size
      for (const name of Object.keys(value)) {
        const member: unknown = Reflect.get(value, name)
        if (!MARKS.has(name) && (name !== 'type' || member !== 'text')) this.add(member)
      }
      if ('type' in value && MEDIA.has(value.type)) {
        this.media += Math.min(this.size - sizeBefore, MEDIA_SIZE)
        this.size = sizeBefore
      }
    } else if (value !== null && value !== undefined) {
      this.size += 4
      this.#mix(String(value))
    }
  }

  /** Of a long text, its length and characters in equal distances: a change that keeps all of these has an unknown cause. */
  #mix(text: string): void {
    const { length } = text
    const step = length > SAMPLES ? Math.floor(length / SAMPLES) : 1
    // Multiplications as in FNV-1a, with two odd constants.
    for (let at = 0; at < length; at += step) {
      const code = text.charCodeAt(at)
      this.#a = Math.imul(this.#a ^ code, 0x9e37_79b1)
      this.#b = Math.imul(this.#b ^ code, 0x85eb_ca6b)
    }
    this.#a = Math.imul(this.#a ^ (this.#a >>> 15) ^ length, 0x2c1b_3c6d)
    this.#b = Math.imul(this.#b ^ (this.#b >>> 13), 0x297a_2d39)
  }
}
