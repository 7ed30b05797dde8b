import { asObject, type JsonObject, parseJson } from '../../json/json.ts'
import { type EndStatus, itemAdded, itemDone, type OpenItem, type OutputEvent } from './output-items.ts'
import { clientToolsByCall, readCustomInput, type ToolOrigin } from './tools.ts'

export interface CallIdentity {
  index: number
  id: string
  callId: string
  origin: ToolOrigin
}

/** A call whose arguments grow. */
export interface CallItem extends OpenItem {
  begin(): OutputEvent[]
  add(delta: string): OutputEvent[]
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

class FunctionCallItem implements CallItem {
  readonly index: number
  item: JsonObject
  #arguments = ''

  constructor(identity: CallIdentity) {
    this.index = identity.index
    this.item = callItem(identity, { arguments: '' })
  }

  begin(): OutputEvent[] {
    return [itemAdded(this.index, this.item)]
  }

  add(delta: string): OutputEvent[] {
    this.#arguments += delta
    const type = 'response.function_call_arguments.delta'
    return [{ type, item_id: this.item.id, output_index: this.index, delta }]
  }

  end(status: EndStatus): OutputEvent[] {
    const all = this.#arguments
    this.item = { ...this.item, status, arguments: all }
    const { id, name } = this.item
    return [
      {
        type: 'response.function_call_arguments.done',
        item_id: id,
        output_index: this.index,
        name,
        arguments: all,
      },
      itemDone(this.index, this.item),
    ]
  }
}

class CustomCallItem implements CallItem {
  readonly index: number
  item: JsonObject
  readonly #reader = new CustomInputReader()
  #arguments = ''
  #sent = ''

  constructor(identity: CallIdentity) {
    this.index = identity.index
    this.item = callItem(identity, { input: '' })
  }

  begin(): OutputEvent[] {
    return [itemAdded(this.index, this.item)]
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
    this.item = { ...this.item, status, input }
    const done = { type: 'response.custom_tool_call_input.done', ...this.#position(), input }
    return [...rest, done, itemDone(this.index, this.item)]
  }

  #send(delta: string): OutputEvent[] {
    if (delta === '') return []
    this.#sent += delta
    return [{ type: 'response.custom_tool_call_input.delta', ...this.#position(), delta }]
  }

  #position(): JsonObject {
    return { item_id: this.item.id, output_index: this.index }
  }
}

/** The call of a tool that has its own type of item, which is sent whole. */
class ClientCallItem implements CallItem {
  readonly index: number
  item: JsonObject
  #arguments = ''

  constructor(identity: CallIdentity) {
    this.index = identity.index
    const { name: _, ...item } = callItem(identity, {})
    this.item = { ...item, ...(item.type === 'tool_search_call' && { execution: 'client' }) }
  }

  begin(): OutputEvent[] {
    return []
  }

  add(piece: string): OutputEvent[] {
    this.#arguments += piece
    return []
  }

  end(status: EndStatus): OutputEvent[] {
    const kind = clientToolsByCall.get(String(this.item.type))
    const args = parseJson(this.#arguments)
    const payload = kind?.complete(asObject(args))
    this.item = { ...this.item, status, ...(kind && { [kind.payload]: payload }) }
    const added = itemAdded(this.index, { ...this.item, status: 'in_progress' })
    return [added, itemDone(this.index, this.item)]
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
