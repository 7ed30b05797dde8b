// The items for calls of tools, as they grow with the pieces of a chat answer.
import { asObject, type JsonObject, parseJson } from '../../json/json.ts'
import { type EndStatus, OpenItem, type OutputEvent } from './output-items.ts'
import { clientToolsByCall, readCustomInput, type ToolOrigin } from './tools.ts'

export interface CallIdentity {
  index: number
  id: string
  callId: string
  origin: ToolOrigin
}

/** A call whose arguments grow. */
export abstract class CallItem extends OpenItem {
  abstract add(delta: string): OutputEvent[]
}

/** Prefixes of the ids of calls; others have that of a function's. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  custom_tool_call: 'ctc',
  local_shell_call: 'lsh',
  shell_call: 'sh',
  apply_patch_call: 'apc',
  tool_search_call: 'tsc',
}

export function callIdPrefix({ call }: ToolOrigin): string {
  return ID_PREFIXES[call] ?? 'fc'
}

export function createCallItem(identity: CallIdentity): CallItem {
  const { call } = identity.origin
  if (call === 'function_call') return new FunctionCallItem(identity)
  return call === 'custom_tool_call' ? new CustomCallItem(identity) : new ClientCallItem(identity)
}

function callItem({ id, callId, origin }: CallIdentity, members: JsonObject): JsonObject {
  const { call, name, namespace } = origin
  return {
    id,
    type: call,
    status: 'in_progress',
    call_id: callId,
    name,
    ...(namespace !== null && { namespace }),
    ...members,
  }
}

class FunctionCallItem extends CallItem {
  #arguments = ''

  constructor(identity: CallIdentity) {
    super(identity.index, callItem(identity, { arguments: '' }))
  }

  add(delta: string): OutputEvent[] {
    this.#arguments += delta
    return [this.partEvent('function_call_arguments.delta', { delta })]
  }

  end(status: EndStatus): OutputEvent[] {
    const members = { name: this.item.name, arguments: this.#arguments }
    return [this.partEvent('function_call_arguments.done', members), this.done({ ...members, status })]
  }
}

class CustomCallItem extends CallItem {
  readonly #reader = new CustomInputReader()
  #arguments = ''
  #sent = ''

  constructor(identity: CallIdentity) {
    super(identity.index, callItem(identity, { input: '' }))
  }

  add(piece: string): OutputEvent[] {
    this.#arguments += piece
    return this.#send(this.#reader.read(piece))
  }

  end(status: EndStatus): OutputEvent[] {
    const all = this.#arguments
    const whole = parseJson(all)
    // JSON that was cut off cannot be parsed.
    const input = whole === undefined && this.#sent !== '' ? this.#sent : readCustomInput(all, whole)
    const rest = input.startsWith(this.#sent) ? this.#send(input.slice(this.#sent.length)) : []
    return [...rest, this.partEvent('custom_tool_call_input.done', { input }), this.done({ status, input })]
  }

  #send(delta: string): OutputEvent[] {
    if (delta === '') return []
    this.#sent += delta
    return [this.partEvent('custom_tool_call_input.delta', { delta })]
  }
}

/** The call of a tool that has its own type of item, which is sent whole. */
class ClientCallItem extends CallItem {
  #arguments = ''

  constructor(identity: CallIdentity) {
    const { name: _, ...item } = callItem(identity, {})
    super(identity.index, { ...item, ...(item.type === 'tool_search_call' && { execution: 'client' }) })
  }

  override begin(): OutputEvent[] {
    return []
  }

  add(piece: string): OutputEvent[] {
    this.#arguments += piece
    return []
  }

  end(status: EndStatus): OutputEvent[] {
    const kind = clientToolsByCall.get(String(this.item.type))
    if (kind) this.item[kind.payload] = kind.complete(asObject(parseJson(this.#arguments)))
    return [...super.begin(), this.done({ status })]
  }
}

const START = /^\s*\{\s*"input"\s*:\s*"/
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Reads the text of `{"input":"…"}` as its JSON arrives in pieces. */
class CustomInputReader {
  #pending = ''
  #state: 'before' | 'inside' | 'after' = 'before'

  /** The text that these pieces complete; empty while it is not clear whether they have that form. */
  read(piece: string): string {
    if (this.#state === 'after') return ''
    this.#pending += piece
    if (this.#state === 'before') {
      const start = START.exec(this.#pending)
      if (!start) return ''
      this.#pending = this.#pending.slice(start[0].length)
      this.#state = 'inside'
    }
    return this.#readText()
  }

  #readText(): string {
    const json = this.#pending
    let text = ''
    let at = 0
    while (at < json.length) {
      const char = json.charAt(at)
      if (char === '"') {
        this.#state = 'after'
        break
      }
      if (char !== '\\') {
        text += char
        at += 1
        continue
      }
      const kind = json.charAt(at + 1)
      const length = kind === 'u' ? 6 : 2
      if (at + length > json.length) break
      text +=
        kind === 'u'
          ? String.fromCharCode(Number.parseInt(json.slice(at + 2, at + 6), 16))
          : (ESCAPES[kind] ?? kind)
      at += length
    }
    this.#pending = json.slice(at)
    return text
  }
}
