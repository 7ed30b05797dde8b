// Serves clients of OpenAI's chat completions.
import type { ErrorBody } from '../../../../shared/api/errors.ts'
import type { ChatRequest } from '../../../../shared/formats/chat.ts'
import type { ChatChunk, ChatUsage } from '../../../../shared/formats/chat-completion.ts'
import type { TextCompletionRequest } from '../../../../shared/formats/text-completion.ts'
import type { AnswerContext, ClientCodec, DecodedRequest, StreamWriter } from '../../chat/codec-types.ts'
import { type ChunkPieces, joinPieces } from '../../chat/events.ts'
import { refuseRequest, type UpstreamFailure } from '../../chat/failure.ts'
import { withoutSignedReasoning } from '../../chat/reasoning.ts'
import { asObject, isGiven, isObject, type JsonObject } from '../../json/json.ts'

export const openaiChatClient: ClientCodec<ChatRequest> = {
  decodeRequest: (body) => ({ request: body, unsupported: null }),
  answerBody: ({ choices, ...completion }, usage, { requestId, model }) => ({
    ...completion,
    id: requestId,
    model,
    choices: choices.map((choice) => ({ ...choice, message: withoutSignedReasoning(choice.message) })),
    usage,
  }),
  streamWriter: (context) => {
    const options = context.body.stream_options
    return new ChatStreamWriter(context, isObject(options) && options.include_usage === true)
  },
  errorBody: (error) => ({ error }),
}

/** The members of an answer that are ours. */
interface Identity {
  /** The request id, under which GET /v1/requests/{id} finds the request. */
  id: string
  model: string
}

/** No JSON contains it. */
const MARK = '\0'

const DONE = 'data: [DONE]\n\n'

/**
 * Chunks are passed on byte for byte where possible; only id and model are replaced. Providers are always asked for usage,
 * so it is removed if the client did not ask.
 */
export class ChatStreamWriter implements StreamWriter {
  readonly #identity: Identity
  readonly #wantsUsage: boolean
  #created: number
  #parts: readonly string[] | null = null
  /** `#parts` with our id and model. */
  #edited: readonly string[] | null = null
  /** Other members of the upstream's usage chunk. */
  #members: Readonly<Record<string, unknown>> = {}

  constructor({ requestId, model, created }: AnswerContext, wantsUsage: boolean) {
    this.#identity = { id: requestId, model }
    this.#created = created
    this.#wantsUsage = wantsUsage
  }

  chunk(chunk: ChatChunk, raw: string | null, pieces?: ChunkPieces): string {
    this.#created = chunk.created
    if (raw === null) return this.#format(withoutReasoning(chunk))
    const parts = pieces && this.#editParts(chunk, pieces.parts)
    if (parts) return joinPieces({ parts, texts: pieces.texts })
    const edited = this.#edit(chunk, raw)
    return edited === null ? this.#format(chunk) : frame(edited)
  }

  /** Null where they cannot be edited. The last ones are kept, because most chunks of a stream have them. */
  #editParts(chunk: ChatChunk, parts: readonly string[]): readonly string[] | null {
    if (this.#parts === parts) return this.#edited
    this.#parts = parts
    const edited = this.#edit(chunk, parts.join(MARK))
    this.#edited = edited === null ? null : frame(edited).split(MARK)
    return this.#edited
  }

  /** The chunk's JSON with our id and model, and without a usage of null that the client did not ask for; null if ambiguous. */
  #edit(chunk: ChatChunk, raw: string): string | null {
    const { id, model } = this.#identity
    const json = this.#wantsUsage || chunk.usage !== null ? raw : withoutNullUsage(raw)
    return replaceMember(replaceMember(json, 'id', chunk.id, id), 'model', chunk.model, model)
  }

  #format(chunk: ChatChunk): string {
    const { usage, ...rest } = chunk
    const sent = this.#wantsUsage || usage !== null ? chunk : rest
    return frame(JSON.stringify({ ...sent, ...this.#identity }))
  }

  recordUsageMembers(members: Readonly<Record<string, unknown>>): void {
    this.#members = members
  }

  end(usage: ChatUsage): string {
    if (!this.#wantsUsage) return DONE
    const chunk: ChatChunk = {
      ...this.#members,
      ...this.#identity,
      object: 'chat.completion.chunk',
      created: this.#created,
      choices: [],
      usage,
    }
    return frame(JSON.stringify(chunk)) + DONE
  }

  /** Clients recognize the error by its `error` member. */
  fail(error: ErrorBody): string {
    return frame(JSON.stringify({ error }))
  }
}

function withoutReasoning(chunk: ChatChunk): ChatChunk {
  if (!chunk.choices.some(({ delta }) => 'signed_reasoning' in delta)) return chunk
  const choices = chunk.choices.map((choice) => ({ ...choice, delta: withoutSignedReasoning(choice.delta) }))
  return { ...chunk, choices }
}

function frame(json: string): string {
  return `data: ${json}\n\n`
}

/** The text without the member; null when that is ambiguous, as with several members of the name. */
function withoutNullUsage(json: string): string | null {
  const only = /,\s*"usage"\s*:\s*null(?=\s*[,}])/.exec(json)
  if (!only || json.split('"usage"').length !== 2) return null
  return json.slice(0, only.index) + json.slice(only.index + only[0].length)
}

/** A JSON string cannot contain an unescaped quote, so the first match is a member and not part of a text. */
function replaceMember(json: string | null, name: string, from: string, to: string): string | null {
  if (json === null || from === to) return json
  for (const colon of [':', ': ']) {
    const member = `"${name}"${colon}${JSON.stringify(from)}`
    const at = json.indexOf(member)
    if (at !== -1)
      return `${json.slice(0, at)}"${name}":${JSON.stringify(to)}${json.slice(at + member.length)}`
  }
  return null
}

// Serves clients of OpenAI's older completions, and of Mistral's endpoint that fills in the middle.

export const openaiCompletionsClient: ClientCodec<TextCompletionRequest> = {
  decodeRequest: (body) => decodeTextCompletion(body),
  answerBody: ({ choices, ...completion }, usage, { requestId, model }) => ({
    ...completion,
    id: requestId,
    object: 'text_completion',
    model,
    choices: choices.map(toTextChoice),
    usage,
  }),
  streamWriter: (context) => new TextStreamWriter(context),
  errorBody: (error) => ({ error }),
}

/** Mistral's answers are chat completions, and it has no default for the output limit. Its streams always report usage. */
export const mistralFimClient: ClientCodec<TextCompletionRequest> = {
  ...openaiChatClient,
  decodeRequest: (body) => decodeTextCompletion(body, null),
  streamWriter: (context) =>
    openaiChatClient.streamWriter({
      ...context,
      body: { ...context.body, stream_options: { include_usage: true } },
    }),
}

// Source: OpenAI's API reference, "Create completion".

/** OpenAI's default. */
const DEFAULT_MAX_TOKENS = 16

const FILL_IN =
  'You complete text in an editor. The user sends what is before and after the cursor. Answer with exactly the text that ' +
  'belongs at the cursor: no explanation, no quotation marks, no code fence, and nothing of the text before or after.'

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** The prompts that are texts; null for tokens. */
function readPrompts({ prompt }: TextCompletionRequest): string[] | null {
  if (isText(prompt)) return [prompt]
  const texts: readonly unknown[] = prompt
  return texts.every(isText) ? [...texts] : null
}

/** How many completions the request asks for. */
function countChoices({ prompt, n, best_of: bestOf }: TextCompletionRequest): number {
  const prompts = isText(prompt) || typeof prompt[0] === 'number' ? 1 : prompt.length
  return Math.max(n ?? 1, bestOf ?? 1) * prompts
}

/** The first feature that a chat request cannot express. */
function findUnsupported(body: TextCompletionRequest): UpstreamFailure | null {
  const refuse = (what: string, param: string) =>
    refuseRequest(
      `${what} The provider of this model supports only chat completions, which cannot do this.`,
      param,
    )
  const prompts = readPrompts(body)
  if (prompts === null) return refuse('Send the prompt as a text, not as tokens.', 'prompt')
  if (prompts.length > 1) return refuse('Send one prompt in each request.', 'prompt')
  if (prompts[0] === '') return refuse('Send a prompt that is not empty.', 'prompt')
  if (body.echo) return refuse('Leave "echo" out.', 'echo')
  if ((body.best_of ?? 1) > (body.n ?? 1)) return refuse('Leave "best_of" out.', 'best_of')
  if (typeof body.logprobs === 'number') return refuse('Leave "logprobs" out.', 'logprobs')
  if (body.max_tokens === 0) return refuse('Set "max_tokens" to 1 or more.', 'max_tokens')
  return null
}

/** A prompt alone is a message, as routers send it to chat models. */
function toMessages(body: TextCompletionRequest): ChatRequest['messages'] {
  const prompt = (readPrompts(body) ?? []).join('\n')
  if (!body.suffix) return [{ role: 'user', content: prompt }]
  const content = `<before_cursor>${prompt}</before_cursor><after_cursor>${body.suffix}</after_cursor>`
  return [
    { role: 'system', content: FILL_IN },
    { role: 'user', content },
  ]
}

/** `defaultLimit`: the output limit of a request without one; null leaves it to the model. */
function decodeTextCompletion(
  body: TextCompletionRequest,
  defaultLimit: number | null = DEFAULT_MAX_TOKENS,
): DecodedRequest {
  const choices = countChoices(body)
  const limit = body.max_tokens ?? defaultLimit
  const fields = {
    stream: body.stream,
    max_tokens: limit === null ? null : Math.max(1, limit),
    temperature: body.temperature,
    top_p: body.top_p,
    frequency_penalty: body.frequency_penalty,
    presence_penalty: body.presence_penalty,
    stop: body.stop,
    seed: body.seed ?? body.random_seed,
    logit_bias: body.logit_bias,
    user: body.user,
    n: choices > 1 ? choices : null,
  }
  const entries = Object.entries(fields).filter(([, value]) => isGiven(value))
  const request: ChatRequest = {
    model: body.model,
    messages: toMessages(body),
    ...Object.fromEntries(entries),
  }
  return { request, unsupported: findUnsupported(body) }
}

/** A choice with a text instead of a message or a delta. */
function toTextChoice(choice: JsonObject): JsonObject {
  const { delta, message, finish_reason: finish, ...rest } = choice
  const output = isObject(delta) ? delta : asObject(message)
  const text = [output.content, output.refusal].find((value) => typeof value === 'string') ?? ''
  return { logprobs: null, ...rest, text, finish_reason: finish === 'tool_calls' ? 'stop' : (finish ?? null) }
}

/** OpenAI's stream of a text completion. Providers are always asked for usage; it is sent if the client asked. */
class TextStreamWriter implements StreamWriter {
  readonly #identity: JsonObject
  readonly #wantsUsage: boolean
  #created: number
  #members: Readonly<Record<string, unknown>> = {}

  constructor({ requestId, model, created, body }: AnswerContext) {
    this.#identity = { id: requestId, object: 'text_completion', model }
    this.#created = created
    this.#wantsUsage = isObject(body.stream_options) && body.stream_options.include_usage === true
  }

  chunk({ choices, usage: _, ...members }: ChatChunk): string {
    this.#created = members.created
    const texts = choices.map(toTextChoice)
    // The first chunk of a chat, for example, has only a role.
    if (texts.every(({ text, finish_reason: finish }) => text === '' && finish === null)) return ''
    return this.#write({ ...members, choices: texts })
  }

  recordUsageMembers(members: Readonly<Record<string, unknown>>): void {
    this.#members = members
  }

  end(usage: ChatUsage): string {
    const last = this.#wantsUsage
      ? this.#write({ ...this.#members, created: this.#created, choices: [], usage })
      : ''
    return `${last}data: [DONE]\n\n`
  }

  fail(error: ErrorBody): string {
    return `data: ${JSON.stringify({ error })}\n\n`
  }

  #write(members: JsonObject): string {
    return `data: ${JSON.stringify({ ...members, ...this.#identity })}\n\n`
  }
}
