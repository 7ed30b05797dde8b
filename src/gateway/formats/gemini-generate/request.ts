// Source: Google's Gemini API reference, `generateContent`. Only the fields named here are forwarded;
// `parallel_tool_calls` has no counterpart.

import {
  type ChatRequest,
  type KnownChatRequest,
  type Message,
  outputLimit,
} from '../../../shared/formats/chat.ts'
import { splitWords } from '../../../shared/values/text.ts'
import { type EncodedRequest, encodeCall, limitOutput, type Target } from '../chat/codec-types.ts'
import { refuseRequest } from '../chat/failure.ts'
import * as chat from '../chat/message-content.ts'
import { type ReasoningSignatures, readCallSignature, readSignedReasoning } from '../chat/reasoning.ts'
import { isObject, type JsonObject, parseJson } from '../json/json.ts'
import { narrowSchema, type SchemaLimits } from '../json/narrow-schema.ts'
import { encodeParameters } from './schema.ts'

/** The JSON Schema keywords that `responseJsonSchema` supports. */
const OUTPUT_SCHEMA: SchemaLimits = {
  keywords: splitWords(`
    $anchor $defs $id $ref additionalProperties anyOf description enum format items maxItems maximum
    minItems minimum oneOf prefixItems properties required title type`),
}

const LEVELS: readonly chat.Effort[] = ['minimal', 'low', 'medium', 'high']

function encodeThinking(effort: chat.Effort | null, { quirks }: Target): JsonObject {
  if (effort === null) return {}
  const efforts = quirks.efforts ?? chat.EFFORTS
  if (quirks.thinking === 'budget') {
    // A model whose thinking cannot be disabled gets the minimum.
    const level = effort === 'none' && !efforts.includes('none') ? 'minimal' : effort
    const thinkingBudget = Math.min(chat.THINKING_BUDGETS[level], chat.THINKING_BUDGETS.high)
    return { thinkingConfig: { thinkingBudget, ...(thinkingBudget > 0 && { includeThoughts: true }) } }
  }
  const [weakest = 'low', ...stronger] = LEVELS.filter((level) => efforts.includes(level))
  const level = chat.nearestEffort(effort, [weakest, ...stronger])
  return {
    thinkingConfig: {
      thinkingLevel: level.toUpperCase(),
      ...(effort !== 'none' && { includeThoughts: true }),
    },
  }
}

function encodeDeclaration({ name, description, parameters }: chat.FunctionTool): JsonObject {
  const narrow = encodeParameters(parameters)
  return {
    name,
    ...(description !== null && description !== '' && { description }),
    ...(narrow && { parameters: narrow }),
  }
}

function encodeTools(request: KnownChatRequest): JsonObject {
  const { tools, choice } = chat.readToolUse(request)
  if (tools.length === 0) return {}
  const base = { tools: [{ functionDeclarations: tools.map(encodeDeclaration) }] }
  if (choice === null) return base
  const config =
    typeof choice === 'object'
      ? { mode: 'ANY', allowedFunctionNames: [choice.name] }
      : { mode: choice === 'required' ? 'ANY' : choice.toUpperCase() }
  return { ...base, toolConfig: { functionCallingConfig: config } }
}

function encodeResponseFormat({ response_format: responseFormat }: KnownChatRequest): JsonObject {
  if (!responseFormat || responseFormat.type === 'text') return {}
  const schema = responseFormat.type === 'json_schema' ? responseFormat.json_schema.schema : null
  return {
    responseMimeType: 'application/json',
    ...(isObject(schema) && { responseJsonSchema: narrowSchema(schema, OUTPUT_SCHEMA) }),
  }
}

/** Numeric fields and Gemini's names for them. */
const NUMBERS = {
  temperature: 'temperature',
  top_p: 'topP',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
} as const

function encodeGenerationConfig(request: KnownChatRequest, target: Target): JsonObject {
  const numbers = Object.entries(NUMBERS).flatMap(([ours, theirs]) =>
    typeof request[ours] === 'number' ? [[theirs, request[ours]]] : [],
  )
  const { seed } = request
  const requested = limitOutput(outputLimit(request), target)
  const limit = target.maxOutputTokens
  const maxOutputTokens = requested === null ? limit : limit === null ? requested : Math.min(requested, limit)
  const stop = typeof request.stop === 'string' ? [request.stop] : (request.stop ?? [])
  return {
    ...Object.fromEntries(numbers),
    // Gemini's seed has 32 bits.
    ...(typeof seed === 'number' && { seed: Number(BigInt.asIntN(32, BigInt(seed))) }),
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(stop.length > 0 && { stopSequences: stop }),
    ...encodeResponseFormat(request),
    ...encodeThinking(chat.readEffort(request, target.quirks), target),
  }
}

const UNSUPPORTED: chat.UnsupportedFields = {
  ...chat.LEGACY_AND_AUDIO,
  // Models that draw need no field for it.
  modalities: (value) =>
    Array.isArray(value) && value.every((modality) => modality === 'text' || modality === 'image'),
  web_search_options: () => false,
}

/** The body of `generateContent` and `streamGenerateContent`. Throws 400 for what Gemini's format cannot express. */
export function encodeBody(chatRequest: ChatRequest, target: Target): JsonObject {
  const request = chat.omitFields(chat.knownRequest(chatRequest), target.quirks.dropFields)
  chat.refuseFields(request, UNSUPPORTED, 'This provider')
  const style = target.quirks.thinking ?? 'level'
  const { system, contents } = encodeContents(request.messages, target.signatures, style === 'level')
  const generationConfig = encodeGenerationConfig(request, target)
  return {
    ...(system !== null && { systemInstruction: { parts: [{ text: system }] } }),
    contents,
    ...encodeTools(request),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
  }
}

/** A name without a slash means `models/NAME`; tuned models have a prefix of their own. */
export function resourceName(model: string): string {
  return model.includes('/') ? model : `models/${model}`
}

/** A call of a model's action, such as `countTokens`. */
export function modelCall(model: string, action: string, body: string, stream = false): EncodedRequest {
  const name = resourceName(model).split('/').map(encodeURIComponent).join('/')
  return encodeCall(`/${name}:${action}`, body, stream)
}

export function generateCall(model: string, stream: boolean, body: string): EncodedRequest {
  return modelCall(model, stream ? 'streamGenerateContent?alt=sse' : 'generateContent', body, stream)
}

// Source: Google's Gemini API reference, `Content`.

interface GeminiContent {
  role: 'user' | 'model'
  parts: JsonObject[]
}

interface Contents {
  system: string | null
  contents: GeminiContent[]
}

/** Google's documented value for function calls by other models, which have no signature. */
const NO_SIGNATURE = 'skip_thought_signature_validator'

const LINK_TYPES: ReadonlyMap<string, string> = new Map([
  ['gif', 'image/gif'],
  ['heic', 'image/heic'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
])

function encodePiece(piece: chat.Piece): JsonObject {
  switch (piece.kind) {
    case 'text':
      return { text: piece.text }
    case 'inline':
      return { inlineData: { mimeType: piece.mediaType, data: piece.base64 } }
    case 'link': {
      const ending = /\.([a-z]+)$/.exec(piece.url.split(/[?#]/, 1)[0]?.toLowerCase() ?? '')?.[1]
      const mimeType = LINK_TYPES.get(ending ?? '')
      return { fileData: { fileUri: piece.url, ...(mimeType && { mimeType }) } }
    }
  }
}

/** Gemini requires an object as a function's result, so other values are wrapped in one. */
function encodeResponse(message: Message): JsonObject {
  const text = chat.joinTexts(message.content)
  const value = parseJson(text)
  return isObject(value) ? value : { result: value ?? text }
}

/** The signature of an earlier answer's text goes back with its last part. */
function signLastPart(parts: JsonObject[], message: Message): JsonObject[] {
  const signed = readSignedReasoning(message).findLast(
    ({ format, call_id: callId }) => format === 'gemini-generate' && callId === undefined,
  )
  if (typeof signed?.data.thoughtSignature !== 'string') return parts
  const { thoughtSignature } = signed.data
  return [...parts.slice(0, -1), { ...(parts.at(-1) ?? { text: '' }), thoughtSignature }]
}

class Conversion {
  readonly contents: GeminiContent[] = []
  readonly #signatures: ReasoningSignatures
  readonly #wantsSignatures: boolean
  /** Function names by call id: Gemini's function responses need the name, the clients' format does not have it. */
  readonly #names = new Map<string, string>()

  constructor(signatures: ReasoningSignatures, wantsSignatures: boolean) {
    this.#signatures = signatures
    this.#wantsSignatures = wantsSignatures
  }

  add(message: Message): void {
    switch (message.role) {
      case 'user':
        this.#push('user', chat.readPieces(message.content).map(encodePiece))
        return
      case 'assistant':
        this.#push('model', this.#modelParts(message))
        return
      case 'tool':
        this.#push('user', this.#result(message))
        return
      case 'function':
        throw refuseRequest('This provider has no messages of the role "function": use "tool".', 'messages')
    }
  }

  #modelParts(message: Extract<Message, { role: 'assistant' }>): JsonObject[] {
    const text = signLastPart(chat.readPieces(message.content).map(encodePiece), message)
    const calls = (message.tool_calls ?? []).map((call, position) => {
      const { name, args } = chat.readCalledFunction(call)
      this.#names.set(call.id, name)
      const ownSignature = readCallSignature(call) ?? this.#signatures.recall(call.id)
      // Only the first of parallel calls is signed.
      const signature = ownSignature ?? (this.#wantsSignatures && position === 0 ? NO_SIGNATURE : null)
      return {
        functionCall: { id: call.id, name, args },
        ...(signature !== null && { thoughtSignature: signature }),
      }
    })
    return [...text, ...calls]
  }

  #result(message: Extract<Message, { role: 'tool' }>): JsonObject[] {
    const id = message.tool_call_id
    const name = this.#names.get(id) ?? message.name
    if (!name)
      throw refuseRequest(
        `There is no tool call with the id "${id.slice(0, 100)}" before this result.`,
        'messages',
      )
    const media = chat.readPieces(message.content).filter((piece) => piece.kind !== 'text')
    return [{ functionResponse: { id, name, response: encodeResponse(message) } }, ...media.map(encodePiece)]
  }

  #push(role: GeminiContent['role'], parts: JsonObject[]): void {
    if (parts.length === 0) return
    const last = this.contents.at(-1)
    // Not `push(...parts)`: a call is limited to roughly a hundred thousand arguments.
    if (last?.role === role) for (const part of parts) last.parts.push(part)
    else this.contents.push({ role, parts })
  }
}

/**
 * Gemini's shape: successive turns of one role merged, so that results of parallel calls are in one turn.
 * `wantsSignatures`: the model rejects a function call without a thought signature. Throws 400 for what the format cannot
 * express.
 */
function encodeContents(
  messages: readonly Message[],
  signatures: ReasoningSignatures,
  wantsSignatures: boolean,
): Contents {
  const conversion = new Conversion(signatures, wantsSignatures)
  const { instructions, conversation } = chat.separateInstructions(messages, ({ content }) =>
    chat.joinTexts(content),
  )
  for (const message of conversation) conversion.add(message)
  const { contents } = conversion
  const texts = instructions.map(({ content }) => chat.joinTexts(content)).filter((text) => text !== '')
  const system = texts.length > 0 ? texts.join('\n') : null
  // Gemini requires a user message, so instructions alone are sent as one.
  if (contents.length === 0 && system !== null)
    return { system: null, contents: [{ role: 'user', parts: [{ text: system }] }] }
  return { system, contents }
}
