import { createParser } from 'eventsource-parser'
import type { RequestBodies } from '../../../shared/api/requests.ts'
import { chatReader } from './read-chat.ts'
import { geminiReader } from './read-gemini.ts'
import { messagesReader } from './read-messages.ts'
import { responsesReader } from './read-responses.ts'
import {
  getMessage,
  getText,
  isObject,
  type JsonObject,
  NumberedItems,
  otherPart,
  type Transcript,
  type TranscriptMessage,
  type TranscriptPart,
  type TranscriptReader,
  textPart,
  toObject,
  toObjects,
} from './transcript.ts'

// The formats without messages: text and fill-in-the-middle completions, embeddings, speech, images and the like.

const completionsReader: TranscriptReader = {
  request: (body) => ({
    messages: [
      ...getMessage('user', readTexts(body.prompt)),
      ...getMessage('system', getText(body.suffix) === '' ? [] : textPart(`Suffix: ${getText(body.suffix)}`)),
    ],
    tools: [],
  }),
  response: (body) => toObjects(body.choices).flatMap(({ text }) => getMessage('assistant', textPart(text))),
  assemble(events) {
    const texts = new NumberedItems<string>()
    for (const { index, text } of events.flatMap(({ choices }) => toObjects(choices))) {
      texts.set(index, (texts.get(index) ?? '') + getText(text))
    }
    return { choices: texts.list().map((text) => ({ text })) }
  },
}

/** Whatever has an input and maybe a text as its output. */
const inputReader: TranscriptReader = {
  request: (body) => ({
    messages: [
      ...getMessage('system', textPart(body.instructions)),
      ...getMessage('user', [
        ...readTexts(body.input ?? body.prompt ?? body.query),
        ...readTexts(body.documents),
      ]),
    ],
    tools: [],
  }),
  response(body) {
    const vectors = toObjects(body.data).filter(({ embedding }) => embedding !== undefined)
    if (vectors.length > 0) {
      const detail = vectors.length === 1 ? '1 vector' : `${vectors.length} vectors`
      return getMessage('assistant', [otherPart('embedding', detail)])
    }
    return getMessage('assistant', [...textPart(body.text), ...toObjects(body.data).flatMap(readImage)])
  },
  assemble: (events) => ({
    text:
      getText(events.find(({ type }) => type === 'transcript.text.done')?.text) ||
      events.map(({ delta }) => getText(delta)).join(''),
  }),
}

function readTexts(value: unknown): TranscriptPart[] {
  if (typeof value === 'string') return textPart(value)
  if (!Array.isArray(value)) return []
  return value.flatMap((item: unknown) => {
    if (typeof item === 'string') return textPart(item)
    return Array.isArray(item) ? [otherPart('tokens', `${item.length}`)] : []
  })
}

function readImage({ b64_json: data, url }: JsonObject): TranscriptPart[] {
  if (typeof data === 'string') return [{ type: 'image', source: `data:image/png;base64,${data}` }]
  return typeof url === 'string' ? [{ type: 'image', source: url }] : []
}

const readers: readonly [RegExp, TranscriptReader][] = [
  [/\/(chat\/completions|replay)$/, chatReader],
  [/\/responses$/, responsesReader],
  [/\/messages$/, messagesReader],
  [/\/completions$/, completionsReader],
  [/:(streamG|g)enerateContent$/, geminiReader],
]

export interface ReadTranscript extends Transcript {
  /** The error that the client got instead of an answer, or in the middle of it. */
  error: string | null
}

/** Null when the request is no JSON object. The endpoint (`POST /v1/messages`) decides which format it has. */
export function readTranscript(
  { request, response }: Pick<RequestBodies, 'request' | 'response'>,
  endpoint: string | null,
): ReadTranscript | null {
  const body = parseObject(request)
  if (body === null) return null
  const reader = findReader(endpoint)
  const { events, plain } = readResponse(response)
  const failed = [plain, ...events].findLast((part) => part?.error || part?.type === 'response.failed')
  const { messages, tools } = reader.request(body)
  return {
    messages: nameResults(messages),
    tools,
    answers: plain ? reader.response(plain) : reader.response(reader.assemble(events)),
    error: failed ? readError(failed) : null,
  }
}

/** Most formats name the tool only in its call. */
function nameResults(messages: readonly TranscriptMessage[]): TranscriptMessage[] {
  const names = new Map<string, string>()
  return messages.map(({ role, parts }) => ({
    role,
    parts: parts.map((part) => {
      if (part.type === 'call') names.set(part.id, part.name)
      return part.type === 'result' ? { ...part, name: part.name || (names.get(part.id) ?? '') } : part
    }),
  }))
}

function findReader(endpoint: string | null): TranscriptReader {
  // The log of version 0.1 has only chats, without their endpoint.
  if (endpoint === null) return chatReader
  // Mistral's answers to these are messages.
  if (endpoint.endsWith('/fim/completions')) return { ...chatReader, request: completionsReader.request }
  return readers.find(([pattern]) => pattern.test(endpoint))?.[1] ?? inputReader
}

/** A response is one JSON object, a JSON array of events (Google's streams), or server-sent events. */
function readResponse(response: string | null): { plain: JsonObject | null; events: JsonObject[] } {
  const json = parseJson(response)
  if (isObject(json)) return { plain: json, events: [] }
  if (Array.isArray(json)) return { plain: null, events: toObjects(json) }
  const events: JsonObject[] = []
  const parser = createParser({
    onEvent({ data }) {
      const event = parseObject(data)
      if (event) events.push(event)
    },
  })
  // The parser emits an event at the blank line after it, and the recording may end without one.
  parser.feed(`${response ?? ''}\n\n`)
  return { plain: null, events }
}

function readError(part: JsonObject): string {
  const error = part.error ?? toObject(part.response).error
  return getText(toObject(error).message) || getText(error) || 'The answer ended with an error.'
}

function parseObject(text: string | null): JsonObject | null {
  const json = parseJson(text)
  return isObject(json) ? json : null
}

function parseJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}
