import { randomUUID } from 'node:crypto'
import type { FormatCodec } from '../formats/codec.ts'
import { codecFor, codecOf } from '../formats/codecs.ts'
import { EventStreamReader } from '../formats/event-stream.ts'
import type { Answer, PlainAnswer } from '../formats/events.ts'
import { parseJson } from '../formats/json.ts'
import { NativeStreamParser } from '../formats/native-stream.ts'
import { completionEvents } from '../formats/openai-chat/completion-events.ts'
import type { ReadRaw } from '../formats/pass-through/pass-through.ts'
import { rawAnswer } from '../formats/pass-through/raw-answer.ts'
import { PassThroughStreamParser } from '../formats/pass-through/stream-parser.ts'
import { SseReader, type StreamReader } from '../formats/sse.ts'
import type { Target } from '../formats/target.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import type { UpstreamCall } from './adapter.ts'
import { SentMark, type UpstreamPool } from './connection-pool.ts'
import { type HttpResponse, isSuccess, mediaType, readBytes, readText, sendRequest } from './exchange.ts'
import { toUpstreamFailure } from './network-failure.ts'
import { openBytes } from './read-bytes.ts'
import { openStream } from './read-stream.ts'
import { redactFailure, secretsOf } from './redact.ts'
import { requestHeaders } from './request-headers.ts'
import { readStatusFailure } from './status-failure.ts'
import { Watchdog } from './watchdog.ts'

/** The largest plain body, decoded. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

/** By the media type of the stream. */
const streamReaders: ReadonlyMap<string, () => StreamReader> = new Map([
  ['text/event-stream', (): StreamReader => new SseReader()],
  ['application/vnd.amazon.eventstream', (): StreamReader => new EventStreamReader()],
])

/** `UpstreamAdapter.send` over HTTP. */
export async function sendHttpCall(call: UpstreamCall, pool: UpstreamPool): Promise<Answer> {
  const { target, request, credential, readRaw } = call
  // What is passed through is in the shape of OpenAI's API, whatever the format of the provider's chats.
  const codec = readRaw ? codecOf('openai-chat') : codecFor(target)
  const { path, headers, body, bytes } = call.encoded ?? codec.chatRequest(request, target)
  const url = path.startsWith('/') ? target.baseUrl + path : path
  const unauthorized = { method: 'POST' as const, url, headers, body: bytes ?? body }
  const watchdog = new Watchdog(call.signal, target.totalTimeoutMs)
  watchdog.expect('nothing', target.firstByteTimeoutMs)
  let response: HttpResponse | null = null
  const mark = new SentMark()
  try {
    const source = { codec, endpoint: target, credential, pool, signal: watchdog.signal }
    const { connectTimeoutMs } = target
    const httpRequest = {
      ...unauthorized,
      headers: await requestHeaders(unauthorized, source),
      connectTimeoutMs,
    }
    response = await sendRequest(httpRequest, pool, watchdog, mark)
    if (!isSuccess(response)) throw await readStatusFailure(response, codec, watchdog)
    if (readRaw) return await passThrough(readRaw, call, response, watchdog)
    return await readAnswer(call, codec, response, watchdog)
  } catch (error) {
    watchdog.dispose()
    response?.body.destroy()
    throw redactFailure(toUpstreamFailure(error, watchdog), secretsOf(target, credential), mark.sent)
  }
}

async function readAnswer(
  { target, request, credential, native }: UpstreamCall,
  codec: FormatCodec,
  response: HttpResponse,
  watchdog: Watchdog,
): Promise<Answer> {
  const streaming = request.stream === true
  const defaults = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: target.servedModel,
  }
  const type = mediaType(response.headers)
  const createReader = streamReaders.get(streaming && type === '' ? 'text/event-stream' : type)
  if (streaming && createReader) {
    const secrets = secretsOf(target, credential)
    const parser = codec.streamParser(target, defaults)
    return await openStream({
      body: response.body,
      reader: createReader(),
      parser: native ? new NativeStreamParser(parser) : parser,
      native,
      watchdog,
      firstByteTimeoutMs: target.firstByteTimeoutMs,
      stallTimeoutMs: target.stallTimeoutMs,
      redact: (failure) => redactFailure(failure, secrets),
    })
  }
  if (createReader || (streaming && !type.includes('json'))) {
    throw new UpstreamFailure({
      kind: 'malformed',
      message: `The answer has an unexpected content type (${type}).`,
    })
  }
  watchdog.expect('no more of its answer', target.stallTimeoutMs)
  const { text, value } = await readJson(response, watchdog)
  const answer = codec.plainAnswer(value, target, defaults)
  if (answer instanceof UpstreamFailure) throw answer
  watchdog.dispose()
  if (streaming) return toStream(answer)
  return native ? { ...answer, native: text } : answer
}

/** Audio and server-sent events go through as they come, all else when it is complete. */
async function passThrough(
  readRaw: ReadRaw,
  { target, credential }: UpstreamCall,
  response: HttpResponse,
  watchdog: Watchdog,
): Promise<Answer> {
  const { body, headers } = response
  const { firstByteTimeoutMs, stallTimeoutMs } = target
  const secrets = secretsOf(target, credential)
  const redact = (failure: UpstreamFailure) => redactFailure(failure, secrets)
  const source = { body, watchdog, stallTimeoutMs, redact }
  const type = mediaType(headers)
  if (type === 'text/event-stream') {
    const parser = new NativeStreamParser(new PassThroughStreamParser(readRaw))
    return await openStream({ ...source, reader: new SseReader(), parser, native: true, firstByteTimeoutMs })
  }
  if (type.startsWith('audio/') || type === 'application/octet-stream') {
    const given = headers['content-type'] ?? type
    const readUsage = () => readRaw({ bytes: Buffer.alloc(0), mediaType: given })
    return await openBytes({ ...source, mediaType: given, readUsage })
  }
  return await readRawAnswer(readRaw, target, response, watchdog)
}

async function readRawAnswer(
  readRaw: ReadRaw,
  { servedModel: model, stallTimeoutMs }: Target,
  { body, headers }: HttpResponse,
  watchdog: Watchdog,
): Promise<PlainAnswer> {
  watchdog.expect('no more of its answer', stallTimeoutMs)
  const bytes = await readBytes(body, MAX_BODY_BYTES, watchdog)
  const raw = { bytes, mediaType: headers['content-type'] ?? 'application/octet-stream' }
  watchdog.dispose()
  return rawAnswer(raw, model, readRaw)
}

async function readJson(
  { body, headers }: HttpResponse,
  watchdog: Watchdog,
): Promise<{ text: string; value: unknown }> {
  const text = await readText(body, MAX_BODY_BYTES, watchdog)
  const value = parseJson(text)
  if (value !== undefined) return { text, value }
  const type = mediaType(headers) || 'no content type'
  throw new UpstreamFailure({ kind: 'malformed', message: `The answer is not JSON (${type}).` })
}

/** For a provider that answers a request for a stream with a plain completion. */
function toStream(answer: PlainAnswer): Answer {
  return { kind: 'stream', events: completionEvents(answer) }
}
