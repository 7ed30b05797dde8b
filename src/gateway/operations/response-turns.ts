// The conversation of one WebSocket at `/v1/responses`. Each `response.create` becomes a streamed POST request inside this
// process, so that it passes every check, limit and record of one; its events are sent as messages.
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { ResponseRequest } from '../../shared/formats/responses.ts'
import { SseReader } from '../formats/framing/sse.ts'
import { editMembers } from '../formats/json/edit-json.ts'
import { asObject, isObject, type JsonObject, parseJson } from '../formats/json/json.ts'
import { responseObject } from '../formats/openai-responses/client/response-object.ts'
import { RESPONSE_ENDS } from '../formats/openai-responses/stream.ts'
import { parseStrictJson, validate } from '../http/json-body.ts'
import type { BodyMemory } from '../http/read-body.ts'
import type { SocketPeer, SocketSession } from '../http/websockets.ts'
import { type GatewayError, invalidRequest, serverError } from '../platform/errors.ts'
import { newRequestId } from '../platform/ids.ts'
import type { ProviderSockets } from '../upstream/provider-sockets.ts'

interface TurnsDeps {
  peer: SocketPeer
  providers: ProviderSockets
  /** Sends a streamed request for a response with this body. */
  post(body: string): ClientRequest
  /** Throws when the key of the connection may not be used any more. */
  requireCaller(): void
  /** Reserves memory for what is kept of a conversation. */
  memory(): BodyMemory
  toError(thrown: unknown): GatewayError
  now(): number
}

/** The newest response and the items before and in it, as JSON: what `previous_response_id` continues. */
interface Continuation {
  id: string
  items: string
  /** Whether the provider remembers nothing but the items. */
  isWhole: boolean
  memory: BodyMemory
}

interface Turn {
  outgoing: ClientRequest
  input: readonly JsonObject[]
  /** Whether the provider keeps the response, and so knows its items by their ids. */
  isStored: boolean
  isCanceled: boolean
}

export class ResponseTurns implements SocketSession {
  readonly #deps: TurnsDeps
  #turn: Turn | null = null
  #last: Continuation | null = null

  constructor(deps: TurnsDeps) {
    this.#deps = deps
  }

  get isBusy(): boolean {
    return this.#turn !== null
  }

  receive(text: string): void {
    try {
      const message = parseStrictJson(text)
      if (!isObject(message)) throw invalidRequest('A message must be a JSON object with a "type".')
      this.#handle(message, text)
    } catch (thrown) {
      const { status, headers, body } = this.#deps.toError(thrown)
      void this.#deps.peer.send(errorEvent(status, headers, body))
    }
  }

  isAllowed(): boolean {
    try {
      this.#deps.requireCaller()
      return true
    } catch {
      return false
    }
  }

  leave(): void {
    this.#turn?.outgoing.destroy()
    this.#deps.providers.close()
    this.#forget()
  }

  #handle(message: JsonObject, text: string): void {
    if (message.stream_id !== undefined && message.stream_id !== null) {
      throw invalidRequest(
        '"stream_id" is not supported: a connection has one conversation. Open a connection for each.',
        { param: 'stream_id' },
      )
    }
    if (message.type === 'response.create') this.#create(message, text)
    else if (message.type === 'response.cancel') this.#cancel()
    // Codex says so of the end of a turn.
    else if (message.type !== 'response.processed')
      throw invalidRequest('"type" must be "response.create" or "response.cancel".', { param: 'type' })
  }

  #create(message: JsonObject, text: string): void {
    if (this.#turn) {
      throw invalidRequest(
        'A response is in progress on this connection. Wait for its end, cancel it, or open another connection.',
        { code: 'response_in_progress' },
      )
    }
    const earlier = this.#readEarlier(message.previous_response_id)
    const input = [...(earlier ?? []), ...listItems(message.input)]
    if (message.generate === false) {
      this.#prepare(message, input)
    } else {
      const body = editMembers(text, {
        type: undefined,
        generate: undefined,
        stream: true,
        ...(earlier && { previous_response_id: undefined, input }),
      })
      const id = String(message.previous_response_id)
      const { providers } = this.#deps
      // What the provider remembers beyond the items, it would bill, and no bound would know of it.
      providers.continuation =
        earlier && this.#last?.isWhole ? { id, knownItems: earlier.length, total: input.length } : null
      const outgoing = this.#deps.post(body)
      this.#turn = { outgoing, input, isStored: message.store !== false, isCanceled: false }
      void this.#run(this.#turn)
    }
  }

  #cancel(): void {
    if (!this.#turn) throw invalidRequest('No response is in progress.', { code: 'no_response_in_progress' })
    this.#turn.isCanceled = true
    this.#turn.outgoing.destroy()
  }

  /** Keeps the input of a turn that shall not be generated: a later one continues it. */
  #prepare(message: JsonObject, input: readonly JsonObject[]): void {
    this.#deps.requireCaller()
    const body = validate(ResponseRequest, message, 'message')
    const created = Math.floor(this.#deps.now() / 1000)
    const context = { requestId: newRequestId(), model: body.model, created, body }
    const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
    const begun = responseObject(context, { status: 'in_progress', output: [] })
    const response = responseObject(context, { status: 'completed', output: [], usage })
    this.#remember(String(response.id), input, true)
    void this.#deps.peer.send(
      JSON.stringify({ type: 'response.created', response: begun, sequence_number: 0 }),
    )
    void this.#deps.peer.send(JSON.stringify({ type: 'response.completed', response, sequence_number: 1 }))
  }

  async #run(turn: Turn): Promise<void> {
    const { peer } = this.#deps
    let last: string | null
    try {
      const answer = await receiveAnswer(turn.outgoing)
      last = answer.statusCode === 200 ? await this.#relay(answer, turn) : await readRefusal(answer)
    } catch {
      last = turn.isCanceled ? CANCELED : BROKEN
    }
    // The client may send its next message as soon as it has the last event.
    this.#turn = null
    if (last !== null) await peer.send(last)
    peer.settled()
  }

  /** Sends the events of a stream but the last, which is returned; null if an error was the last. */
  async #relay(answer: IncomingMessage, turn: Turn): Promise<string | null> {
    const reader = new SseReader()
    const output: JsonObject[] = []
    let last: string | null = BROKEN
    for await (const chunk of answer) {
      let sent: Promise<void> | null = null
      for (const item of reader.read(chunk)) {
        // An end mark of another API is no event of this one.
        if (item.type !== 'event' || !item.data.startsWith('{')) continue
        const event = asObject(parseJson(item.data))
        if (event.type === 'response.output_item.done' && isObject(event.item)) output.push(event.item)
        if (RESPONSE_ENDS.has(event.type)) {
          last = item.data
          this.#rememberEnd(event, turn, output)
          continue
        }
        if (event.type === 'error') last = null
        sent = this.#deps.peer.send(item.data)
      }
      await sent
    }
    return last
  }

  #rememberEnd({ type, response }: JsonObject, turn: Turn, output: readonly JsonObject[]): void {
    const { id, usage } = asObject(response)
    // After a failure, the client repeats its turn.
    if (type === 'response.failed' || typeof id !== 'string') return
    const kept = turn.isStored ? output : withoutReferences(output)
    this.#remember(id, [...turn.input, ...kept], kept === output && !hidesReasoning(output, asObject(usage)))
  }

  #readEarlier(id: unknown): JsonObject[] | null {
    return typeof id === 'string' && this.#last?.id === id ? listItems(parseJson(this.#last.items)) : null
  }

  #remember(id: string, input: readonly JsonObject[], isWhole: boolean): void {
    this.#forget()
    const items = JSON.stringify(input)
    const memory = this.#deps.memory()
    try {
      memory.reserve(Buffer.byteLength(items))
      this.#last = { id, items, isWhole, memory }
    } catch {
      // Without it, the client gets an error that the response is not found, and sends the whole conversation.
      memory.release()
    }
  }

  #forget(): void {
    this.#last?.memory.release()
    this.#last = null
  }
}

function listItems(input: unknown): JsonObject[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return Array.isArray(input) ? input.filter(isObject) : []
}

/**
 * The items of a response that its provider did not keep. Reasoning without its encrypted content cannot be sent back, and
 * with an id an item would refer to it.
 */
function withoutReferences(output: readonly JsonObject[]): readonly JsonObject[] {
  const isBare = ({ type, encrypted_content: encrypted }: JsonObject) =>
    type === 'reasoning' && typeof encrypted !== 'string'
  if (!output.some(isBare)) return output
  return output.filter((item) => !isBare(item)).map(({ id: _id, ...item }) => item)
}

/** Whether the provider reasoned, and gave no item of it. */
function hidesReasoning(output: readonly JsonObject[], usage: JsonObject): boolean {
  const { reasoning_tokens: tokens } = asObject(usage.output_tokens_details)
  return Number(tokens) > 0 && !output.some(({ type }) => type === 'reasoning')
}

function receiveAnswer(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => outgoing.once('response', resolve).on('error', reject))
}

async function readRefusal(answer: IncomingMessage): Promise<string> {
  const { error } = asObject(parseJson(await readText(answer)))
  return errorEvent(answer.statusCode ?? 500, answer.headers, asObject(error))
}

/** Headers of a refusal that say what to do next, or that belong to the vendor. */
const TOLD = /^(?:retry-after(?:-ms)?|x-(?!content-type-options$).*|openai-.*)$/

/** The form in which OpenAI refuses a turn. */
function errorEvent(status: number, headers: IncomingHttpHeaders, error: object): string {
  const told = Object.fromEntries(Object.entries(headers).filter(([name]) => TOLD.test(name)))
  return JSON.stringify({ type: 'error', status, error, headers: told })
}

const CANCELED = errorEvent(
  400,
  {},
  invalidRequest('The response was canceled.', { code: 'response_canceled' }).body,
)
const BROKEN = errorEvent(
  500,
  {},
  serverError('The response ended before it was complete.', 500, 'response_interrupted').body,
)
