import { createParser } from 'eventsource-parser'
import type { RequestBodies, StoredChat } from '../../../shared/api/requests.ts'
import { getText, isObject, type JsonObject, toObject, toObjects } from '../../../shared/values/json.ts'
import { formatQuantity } from '../../kit/format.ts'

/** One piece of a message, whatever the API format. */
export type TranscriptPart =
  | { type: 'text'; text: string }
  /** Blank when the provider returned it encrypted. */
  | { type: 'reasoning'; text: string }
  | { type: 'call'; id: string; name: string; input: string }
  | { type: 'result'; id: string; name: string; text: string; failed: boolean }
  /** `source` is a `data:` URL, or the URL that the provider fetched. */
  | { type: 'image'; source: string }
  /** Anything else, by its name in the format: a file, audio, a search of the provider. */
  | { type: 'other'; name: string; detail: string }

export type TranscriptRole = 'system' | 'user' | 'assistant' | 'tool'

export interface TranscriptMessage {
  role: TranscriptRole
  parts: TranscriptPart[]
}

/** A client's request and the answer, in the same form for every API format. */
export interface Transcript extends Pick<StoredChat, 'error' | 'complete'> {
  messages: TranscriptMessage[]
  /** More than one when the client asked for several. */
  answers: TranscriptMessage[]
  /** The names of the tools that the model could call. */
  tools: string[]
}

/** Null for a request without anything that can be shown as a message. */
export function readTranscript({ chat, request, response }: RequestBodies): Transcript | null {
  if (chat === null) return readPlain(request, response)
  const names = new Map<string, string>()
  return {
    messages: chat.request.messages.flatMap((message) => readMessage(message, names)),
    answers: chat.answers.flatMap((message) => readMessage(message, names)),
    tools: toObjects(chat.request.tools).map((tool) => readCalled(tool).name || getText(tool.type)),
    error: chat.error,
    complete: chat.complete,
  }
}

/** `names`: of the called tools by the ids of the calls, because results seldom repeat them. */
function readMessage(message: JsonObject, names: Map<string, string>): TranscriptMessage[] {
  const { role, content } = message
  const parts = typeof content === 'string' ? readText(content) : toObjects(content).flatMap(readPart)
  if (role === 'tool' || role === 'function') return [readResult(message, parts, names)]
  if (role !== 'assistant') return getMessage(role === 'user' ? 'user' : 'system', parts)
  const calls = toObjects(message.tool_calls).map(readCall)
  for (const { id, name } of calls) names.set(id, name)
  return getMessage('assistant', [
    ...readReasoning(message),
    ...parts,
    ...readText(message.refusal),
    ...calls,
    ...toObjects(message.images).flatMap(readPart),
    ...toObjects(message.content_parts).map(readOther),
  ])
}

/** The gateway marks the result of a failed tool in its text, as chat completions have no field for it. */
function readResult(
  message: JsonObject,
  parts: readonly TranscriptPart[],
  names: ReadonlyMap<string, string>,
): TranscriptMessage {
  const id = getText(message.tool_call_id)
  const texts = parts.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`))
  const text = texts.join('\n\n')
  const name = getText(message.name) || (names.get(id) ?? '')
  const failed = text.startsWith('Error: ')
  return { role: 'tool', parts: [{ type: 'result', id, name, text, failed }] }
}

/** Reasoning that was signed is only in what the provider expects back; that of a call of Google has no text. */
function readReasoning(message: JsonObject): TranscriptPart[] {
  const signed = toObjects(message.signed_reasoning).filter(({ format }) => format !== 'gemini-generate')
  const texts = signed.flatMap(({ data }) => {
    const { thinking, summary, content } = toObject(data)
    return [
      getText(thinking),
      ...[...toObjects(summary), ...toObjects(content)].map(({ text }) => getText(text)),
    ]
  })
  const text = getText(message.reasoning_content) || getText(message.reasoning) || texts.join('')
  return text === '' && signed.length === 0 ? [] : [{ type: 'reasoning', text }]
}

/** A function, or a tool of another type, as a chat completion describes and calls them. */
function readCalled(called: JsonObject): { name: string; input: unknown } {
  const { name, arguments: args, input } = { ...toObject(called.custom), ...toObject(called.function) }
  return { name: getText(name), input: args ?? input }
}

function readCall(call: JsonObject): Extract<TranscriptPart, { type: 'call' }> {
  const { name, input } = readCalled(call)
  return { type: 'call', id: getText(call.id), name: name || getText(call.type), input: writeJson(input) }
}

function readPart(part: JsonObject): TranscriptPart[] {
  switch (part.type) {
    case 'text':
      return readText(part.text)
    case 'refusal':
      return readText(part.refusal)
    case 'image_url': {
      const source = getText(part.image_url) || getText(toObject(part.image_url).url)
      return source === '' ? [] : [{ type: 'image', source }]
    }
    case 'file':
      return [toOther('file', toObject(part.file).filename)]
    default:
      return [readOther(part)]
  }
}

/** What a provider did, such as a search, by the name of its type; Google has none, but names its members. */
function readOther(part: JsonObject): TranscriptPart {
  return toOther(part.type ?? Object.keys(part)[0], toObject(part.action).query)
}

// Embeddings, speech, images and the like are no chats: they have an input, and maybe a text as their output.

function readPlain(request: string | null, response: string | null): Transcript | null {
  const body = parseJson(request)
  if (!isObject(body)) return null
  const answer = parseJson(response)
  const transcript: Transcript = {
    messages: [
      ...getMessage('system', readText(body.instructions)),
      ...getMessage('user', [
        ...listTexts(body.input ?? body.prompt ?? body.query),
        ...listTexts(body.documents),
      ]),
    ],
    answers: getMessage('assistant', isObject(answer) ? readOutput(answer) : readText(readEvents(response))),
    tools: [],
    error: isObject(answer) ? getText(toObject(answer.error).message) || getText(answer.error) || null : null,
    complete: true,
  }
  const { messages, answers, error } = transcript
  return messages.length + answers.length === 0 && error === null ? null : transcript
}

function readOutput(body: JsonObject): TranscriptPart[] {
  const data = toObjects(body.data)
  const vectors = data.filter(({ embedding }) => embedding !== undefined).length
  if (vectors > 0) return [toOther('embedding', formatQuantity(vectors, 'vector'))]
  const images = data.flatMap(({ b64_json: base64, url }): TranscriptPart[] => {
    const source = typeof base64 === 'string' ? `data:image/png;base64,${base64}` : getText(url)
    return source === '' ? [] : [{ type: 'image', source }]
  })
  return [...readText(body.text), ...images]
}

/** The text of a streamed transcription. */
function readEvents(response: string | null): string {
  const events: JsonObject[] = []
  const parser = createParser({ onEvent: ({ data }) => events.push(toObject(parseJson(data))) })
  // The parser emits an event at the blank line after it, and the recording may end without one.
  parser.feed(`${response ?? ''}\n\n`)
  const done = events.find(({ type }) => type === 'transcript.text.done')
  return getText(done?.text) || events.map(({ delta }) => getText(delta)).join('')
}

function listTexts(value: unknown): TranscriptPart[] {
  if (!Array.isArray(value)) return readText(value)
  return value.flatMap((item: unknown) =>
    Array.isArray(item) ? [toOther('tokens', `${item.length}`)] : readText(item),
  )
}

/** Writes JSON with line breaks; a text that is JSON is reformatted. */
function writeJson(value: unknown): string {
  const parsed = typeof value === 'string' ? parseJson(value) : value
  return parsed === undefined || parsed === null ? getText(value) : JSON.stringify(parsed, null, 2)
}

/** A message unless it is empty. */
function getMessage(role: TranscriptRole, parts: TranscriptPart[]): TranscriptMessage[] {
  return parts.length > 0 ? [{ role, parts }] : []
}

function readText(value: unknown): TranscriptPart[] {
  return typeof value === 'string' && value !== '' ? [{ type: 'text', text: value }] : []
}

/** A part of a type that has no form here. */
function toOther(name: unknown, detail: unknown): TranscriptPart {
  return { type: 'other', name: getText(name) || 'unknown', detail: getText(detail) }
}

function parseJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
