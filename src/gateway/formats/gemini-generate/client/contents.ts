// The turns of a conversation as chat messages. Source: the Gemini API reference, `Content`.

import type { ChatRequest, ToolCall } from '../../../../shared/formats/chat.ts'
import type { GeminiContent, GeminiPart } from '../../../../shared/formats/gemini.ts'
import { wordSet } from '../../../../shared/values/text.ts'
import { invalidRequest } from '../../../platform/errors.ts'
import { getOrCreate } from '../../../platform/maps.ts'
import type { UnsupportedFeatures } from '../../chat/failure.ts'
import { simplifyParts } from '../../chat/message-content.ts'
import { decodeSignedReasoning, encodeSignedReasoning, type SignedReasoning } from '../../chat/reasoning.ts'

type Message = ChatRequest['messages'][number]
type ContentPart = { type: 'text'; text: string } | MediaPart

/** Older clients of Google send function responses with a role of their own. */
const USER_ROLES: readonly string[] = ['user', 'function', 'tool']

/** Kinds of parts that a chat message has. */
const KNOWN = wordSet(`
  text thought thoughtSignature inlineData fileData functionCall functionResponse`)
/** Details of a part that other providers do not need. */
const DETAILS: ReadonlySet<string> = new Set([
  'mediaProcessing',
  'mediaResolution',
  'partMetadata',
  'speechMetadata',
  'videoMetadata',
])

/** The text of a system instruction. */
export function readInstruction({ parts }: GeminiContent): string {
  return (parts ?? [])
    .map(({ text }) => text ?? '')
    .filter((text) => text !== '')
    .join('\n')
}

/** Throws GatewayError 400. */
export function decodeContents(contents: readonly GeminiContent[], only: UnsupportedFeatures): Message[] {
  const conversion = new Conversion(only)
  for (const [at, content] of contents.entries()) conversion.add(content, `contents[${at}]`)
  return conversion.end()
}

/** Successive turns of the model become one message, because clients store each chunk of a stream as a turn. */
class ModelTurn {
  text = ''
  reasoning = ''
  readonly calls: ToolCall[] = []
  readonly signed: SignedReasoning[] = []

  get message(): Message | null {
    const { text, reasoning, calls, signed } = this
    if (text === '' && calls.length === 0 && signed.length === 0) return null
    return {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(signed.length > 0 && { signed_reasoning: signed }),
      ...(calls.length > 0 && { tool_calls: calls }),
    }
  }
}

class Conversion {
  readonly #messages: Message[] = []
  readonly #called = new CalledFunctions()
  readonly #only: UnsupportedFeatures
  #model: ModelTurn | null = null

  constructor(only: UnsupportedFeatures) {
    this.#only = only
  }

  add({ role, parts }: GeminiContent, path: string): void {
    const isModel = role === 'model'
    if (!isModel && !USER_ROLES.includes(role ?? 'user'))
      throw invalidRequest('The role of a turn is "user" or "model".', { param: `${path}.role` })
    if (!isModel) this.#endModelTurn()
    const pieces: ContentPart[] = []
    for (const [at, part] of (parts ?? []).entries()) {
      const partPath = `${path}.parts[${at}]`
      this.#refuseUnknown(part, partPath)
      if (isModel) this.#addModelPart(part, partPath)
      else pieces.push(...this.#readUserPart(part, partPath))
    }
    // After the function responses, which must follow their calls.
    if (pieces.length > 0) this.#messages.push({ role: 'user', content: simplifyParts(pieces) })
  }

  end(): Message[] {
    this.#endModelTurn()
    // The conversation may have nothing but content that only Google can read.
    if (this.#messages.length === 0 && this.#only.failure) return [{ role: 'user', content: '' }]
    if (this.#messages.length === 0)
      throw invalidRequest('"contents" has no parts: send at least one text.', { param: 'contents' })
    return this.#messages
  }

  #endModelTurn(): void {
    const message = this.#model?.message
    if (message) this.#messages.push(message)
    this.#model = null
  }

  #refuseUnknown(part: GeminiPart, path: string): void {
    const name = Object.keys(part).find((member) => !KNOWN.has(member) && !DETAILS.has(member))
    if (name !== undefined)
      this.#only.add(
        `Only Google has parts of the kind "${name.slice(0, 40)}".`,
        `${path}.${name.slice(0, 40)}`,
      )
  }

  #addModelPart(part: GeminiPart, path: string): void {
    this.#model ??= new ModelTurn()
    const turn = this.#model
    const { text, thought, functionCall, thoughtSignature: signature } = part
    if (thought) turn.reasoning += text ?? ''
    else turn.text += text ?? ''
    const call = functionCall && this.#called.add(functionCall)
    if (part.inlineData || part.fileData)
      this.#only.add(
        'Only Google accepts media in a turn of the model.',
        `${path}.${part.inlineData ? 'inlineData' : 'fileData'}`,
      )
    const entries = signature ? readThoughtSignature(signature) : null
    if (entries) turn.signed.push(...entries.map((entry) => (call ? { ...entry, call_id: call.id } : entry)))
    else if (signature && !call)
      turn.signed.push({ format: 'gemini-generate', data: { thoughtSignature: signature } })
    if (!call) return
    const extra = signature && !entries ? { extra_content: { google: { thought_signature: signature } } } : {}
    turn.calls.push({ ...call, ...extra })
  }

  #readUserPart(part: GeminiPart, path: string): ContentPart[] {
    const { text, inlineData, fileData, functionResponse } = part
    if (functionResponse) this.#addResponse(functionResponse, `${path}.functionResponse`)
    const file = fileData ? readFileData(fileData, path, this.#only) : null
    return [
      ...(text ? [{ type: 'text' as const, text }] : []),
      ...(inlineData ? [readInlineData(inlineData)] : []),
      ...(file ? [file] : []),
    ]
  }

  #addResponse(response: NonNullable<GeminiPart['functionResponse']>, path: string): void {
    if (this.#called.isAnswered(response)) return
    const id = this.#called.takeId(response)
    // The call can be in Google's cache.
    if (id === null) {
      this.#only.add(`There is no call of "${response.name.slice(0, 100)}" before this response.`, path)
      return
    }
    const text = JSON.stringify(response.response ?? {})
    const media = (response.parts ?? []).flatMap((part, at) =>
      this.#readUserPart(part, `${path}.parts[${at}]`),
    )
    const content = media.length === 0 ? text : [{ type: 'text' as const, text }, ...media]
    this.#messages.push({ role: 'tool', tool_call_id: id, name: response.name, content })
  }
}

type InlineData = NonNullable<GeminiPart['inlineData']>
type FileData = NonNullable<GeminiPart['fileData']>

/** Content parts of a chat message. */
type MediaPart =
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }

/** The formats of `input_audio`, by media type. */
const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/mp3', 'mp3'],
  ['audio/mpeg', 'mp3'],
])

function readInlineData({ mimeType, data: given }: InlineData): MediaPart {
  // Google accepts both alphabets of base64.
  const data = given.replaceAll('-', '+').replaceAll('_', '/')
  const type = mimeType.toLowerCase()
  const url = `data:${type};base64,${data}`
  if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  const format = AUDIO_FORMATS.get(type)
  if (format !== undefined) return { type: 'input_audio', input_audio: { data, format } }
  return { type: 'file', file: { filename: `file.${type.split('/')[1] ?? 'bin'}`, file_data: url } }
}

/** Null for a file that only Google can read. */
function readFileData(
  { fileUri, mimeType }: FileData,
  path: string,
  only: UnsupportedFeatures,
): MediaPart | null {
  const isImage =
    mimeType?.startsWith('image/') ?? /\.(gif|jpe?g|png|webp)$/i.test(fileUri.split(/[?#]/, 1)[0] ?? '')
  const isStored = fileUri.startsWith('https://generativelanguage.googleapis.com/')
  if (isImage && !isStored && /^https?:/i.test(fileUri))
    return { type: 'image_url', image_url: { url: fileUri } }
  only.add('Only Google can read this file by its URI.', `${path}.fileData.fileUri`)
  return null
}

/**
 * The function calls in a conversation. Google's calls may lack an id, and their responses then refer to them by name, in order. The
 * Gemini CLI sends each response twice when it resumes a session, and other formats accept only one.
 */
class CalledFunctions {
  /** Names by id of those that have no response yet, in the order of the calls. */
  readonly #open = new Map<string, string>()
  readonly #answered = new Set<string>()
  readonly #idsByName = new Map<string, Set<string>>()
  #count = 0

  add({ id: clientId, name, args }: NonNullable<GeminiPart['functionCall']>): ToolCall {
    this.#count += 1
    const id = clientId || `call_${this.#count}`
    getOrCreate(this.#idsByName, name, () => new Set()).add(id)
    this.#open.set(id, name)
    this.#answered.delete(id)
    return { id, type: 'function', function: { name, arguments: JSON.stringify(args ?? {}) } }
  }

  /** The id of the call that is answered; null for a response without a call. */
  takeId({ id: clientId, name }: NonNullable<GeminiPart['functionResponse']>): string | null {
    const [oldest] = this.#idsByName.get(name) ?? []
    const id = clientId && this.#open.has(clientId) ? clientId : oldest
    if (id === undefined) return null
    this.#idsByName.get(this.#open.get(id) ?? '')?.delete(id)
    this.#open.delete(id)
    this.#answered.add(id)
    return id
  }

  isAnswered({ id }: NonNullable<GeminiPart['functionResponse']>): boolean {
    return this.#answered.has(id ?? '')
  }
}

// Google's clients send `thoughtSignature` back unchanged, and read it as base64.

/** The `thoughtSignature` that carries signed reasoning. Google's own is sent unchanged. */
export function toThoughtSignature(reasoning: readonly SignedReasoning[]): string {
  const [first] = reasoning
  const signature = first?.format === 'gemini-generate' ? first.data.thoughtSignature : undefined
  if (typeof signature === 'string') return signature
  return Buffer.from(reasoning.map(encodeSignedReasoning).join('\n')).toString('base64')
}

/** The signed reasoning in a `thoughtSignature` of this gateway; null in one of Google's. */
export function readThoughtSignature(signature: string): SignedReasoning[] | null {
  const texts = Buffer.from(signature, 'base64').toString('utf8').split('\n')
  const reasoning = texts.map(decodeSignedReasoning).filter((entry) => entry !== null)
  return reasoning.length > 0 ? reasoning : null
}
