import { randomUUID } from 'node:crypto'
import type { ProviderFormat } from '../../shared/api/providers.ts'
import { completionEvents, NativeStreamParser } from '../formats/chat/answers.ts'
import type { FormatCodec, Target } from '../formats/chat/codec-types.ts'
import type { Answer } from '../formats/chat/events.ts'
import { malformedAnswer, UpstreamFailure } from '../formats/chat/failure.ts'
import type { Sound, UsageReader } from '../formats/chat/pass-through.ts'
import { codecFor, getCodec } from '../formats/codecs.ts'
import { SseReader, type StreamReader } from '../formats/framing/sse.ts'
import { parseJson } from '../formats/json/json.ts'
import { PassThroughStreamParser, rawAnswer } from '../formats/pass-through/answers.ts'
import { NO_HEADERS, pickHeaders } from '../platform/headers.ts'
import type { UpstreamAdapter, UpstreamCall } from './adapter.ts'
import type { HttpRequest, UpstreamPool } from './connection-pool.ts'
import { listHttpModels } from './list-models.ts'
import { toUpstreamFailure } from './network-failure.ts'
import { forwardJson } from './read-json.ts'
import { openBytes, openStream } from './read-stream.ts'
import { listSecrets, redactFailure } from './redact.ts'
import { renewToken, requestHeaders } from './request-headers.ts'
import { decodeText, readBytes, readStatusFailure, UpstreamResponse } from './upstream-response.ts'
import { Watchdog } from './watchdog.ts'

export type AdapterFor = (format: ProviderFormat) => UpstreamAdapter

/** Loaded when it is first called, as most gateways do without it. */
const loadSandbox = async () => (await import('../sandbox/adapter.ts')).sandboxAdapter

const sandbox: UpstreamAdapter = {
  usesCredentials: false,
  encode: () => null,
  send: async (call) => (await loadSandbox()).send(call),
  listModels: async () => (await loadSandbox()).listModels(),
}

export function createAdapters(pool: UpstreamPool): AdapterFor {
  const http = createHttpAdapter(pool)
  return (format) => (format === 'sandbox' ? sandbox : http)
}

function createHttpAdapter(pool: UpstreamPool): UpstreamAdapter {
  return {
    usesCredentials: true,
    encode: (request, target) => codecFor(target).chatRequest(request, target),
    send: (call) => sendHttpCall(call, pool),
    forward: (call) => forwardJson(call, pool),
    listModels: (call) => listHttpModels(call, pool),
  }
}

/** The largest plain body, decoded. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

/** Loaded when AWS first streams. */
const loadEventStream = async () =>
  new (await import('../formats/framing/event-stream.ts')).EventStreamReader()

type ReaderFactory = () => StreamReader | Promise<StreamReader>
const streamReaders: ReadonlyMap<string, ReaderFactory> = new Map<string, ReaderFactory>([
  ['text/event-stream', () => new SseReader()],
  ['application/vnd.amazon.eventstream', loadEventStream],
])

/** `UpstreamAdapter.send` over HTTP. */
export async function sendHttpCall(call: UpstreamCall, pool: UpstreamPool): Promise<Answer> {
  const { target, request, credential, mode } = call
  // Passed-through requests have the shape of OpenAI's API, whatever the format of the provider's chats.
  const codec = mode.kind === 'raw' ? getCodec('openai-chat') : codecFor(target)
  const { path, headers, body, bytes } = call.encoded ?? codec.chatRequest(request, target)
  const { connectTimeoutMs, network } = target
  const url = path.startsWith('/') ? target.baseUrl + path : path
  const httpRequest: HttpRequest = {
    method: 'POST',
    url,
    headers,
    body: bytes ?? body,
    connectTimeoutMs,
    network,
    sockets: usesSocket(call) ? call.sockets : null,
  }
  const watchdog = new Watchdog(call.signal, target.totalTimeoutMs, target.firstByteTimeoutMs, pool.clock)
  let response = new UpstreamResponse()
  try {
    const source = { codec, endpoint: target, credential, pool, watchdog }
    const authorized = requestHeaders(httpRequest, source)
    httpRequest.headers = authorized instanceof Promise ? await authorized : authorized
    // After a signature of the headers: proxies may change these.
    if (call.trace && !call.encoded?.verbatim) Object.assign(httpRequest.headers, call.trace)
    await response.send(httpRequest, pool, watchdog)
    if (response.status === 401) {
      const send = async (renewed: Record<string, string>) => {
        response = new UpstreamResponse()
        httpRequest.headers = call.encoded?.verbatim ? renewed : { ...renewed, ...call.trace }
        await response.send(httpRequest, pool, watchdog)
        return response
      }
      await renewToken(response, { ...httpRequest, headers }, httpRequest.headers, source, send)
    }
    const passed = pickHeaders(response.headers, call.encoded?.answerHeaders)
    if (!response.isSuccess) {
      const passedOn = { headers: passed, keepsBody: call.encoded?.verbatim === true }
      throw await readStatusFailure(response, codec, watchdog, pool.clock, passedOn)
    }
    if (mode.kind === 'raw') return await passThrough(mode.readUsage, call, response, watchdog)
    const reading = readAnswer(call, codec, { response, watchdog, nowMs: pool.clock.now() })
    const answer = reading instanceof Promise ? await reading : reading
    return passed === NO_HEADERS ? answer : { ...answer, headers: passed }
  } catch (error) {
    watchdog.dispose()
    response.destroy()
    throw redactFailure(toUpstreamFailure(error, watchdog), listSecrets(target, credential), response.sent)
  }
}

/** A plan's turns go by HTTP: its windows are in headers, which a WebSocket does not have. */
function usesSocket({ target, request, mode, encoded }: UpstreamCall): boolean {
  const isNative = mode.kind === 'native' && target.apiFormat === 'openai-responses' && !encoded?.verbatim
  return isNative && request.stream === true && target.webSocket
}

function readAnswer(
  { target, request, credential, mode }: UpstreamCall,
  codec: FormatCodec,
  { response, watchdog, nowMs }: { response: UpstreamResponse; watchdog: Watchdog; nowMs: number },
): Answer | Promise<Answer> {
  const streaming = request.stream === true
  const native = mode.kind === 'native' ? mode : null
  const defaults = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(nowMs / 1000),
    model: target.servedModel,
  }
  const type = response.mediaType
  const createReader = streamReaders.get(streaming && type === '' ? 'text/event-stream' : type)
  if (streaming && createReader) {
    const parser = codec.streamParser(target, defaults)
    const open = (reader: StreamReader) =>
      openStream({
        response,
        reader,
        parser: native ? new NativeStreamParser(parser, native.namesEvents) : parser,
        addsEvents: native !== null,
        watchdog,
        firstByteTimeoutMs: target.firstByteTimeoutMs,
        stallTimeoutMs: target.stallTimeoutMs,
        redact: (failure) => redactFailure(failure, listSecrets(target, credential)),
      })
    const reader = createReader()
    return reader instanceof Promise ? reader.then(open) : open(reader)
  }
  if (createReader || (streaming && !type.includes('json'))) {
    throw malformedAnswer(`The answer has an unexpected content type (${type}).`)
  }
  expectRest(response, target, watchdog)
  const bytes = readBytes(response, MAX_BODY_BYTES, watchdog)
  return bytes instanceof Promise ? bytes.then(parse) : parse(bytes)

  function parse(body: Buffer): Answer {
    const text = decodeText(body)
    const value = parseJson(text)
    if (value === undefined) throw malformedAnswer(`The answer is not JSON (${type || 'no content type'}).`)
    const answer = codec.plainAnswer(value, target, defaults)
    if (answer instanceof UpstreamFailure) throw answer
    watchdog.dispose()
    // A provider that ignored `stream`.
    if (streaming) return { kind: 'stream', events: completionEvents(answer) }
    return native ? { ...answer, native: text } : answer
  }
}

function expectRest(response: UpstreamResponse, { stallTimeoutMs }: Target, watchdog: Watchdog): void {
  if (!response.isComplete) watchdog.expect('no more of its answer', stallTimeoutMs)
}

/** Audio and server-sent events go through as they come, all else when it is complete. */
async function passThrough(
  readRaw: UsageReader,
  { target, credential }: UpstreamCall,
  response: UpstreamResponse,
  watchdog: Watchdog,
): Promise<Answer> {
  const { mediaType: type, headers } = response
  const { firstByteTimeoutMs, stallTimeoutMs } = target
  const redact = (failure: UpstreamFailure) => redactFailure(failure, listSecrets(target, credential))
  const source = { response, watchdog, stallTimeoutMs, redact }
  if (type === 'text/event-stream') {
    const parser = new NativeStreamParser(new PassThroughStreamParser(readRaw))
    const events = { reader: new SseReader(), parser, addsEvents: true, firstByteTimeoutMs }
    return await openStream({ ...source, ...events })
  }
  if (type.startsWith('audio/') || type === 'application/octet-stream') {
    const mediaType = headers['content-type'] ?? type
    const readUsage = (sound: Sound) => readRaw({ bytes: Buffer.alloc(0), mediaType: mediaType, sound })
    return await openBytes({ ...source, mediaType: mediaType, readUsage })
  }
  expectRest(response, target, watchdog)
  const bytes = await readBytes(response, MAX_BODY_BYTES, watchdog)
  const raw = { bytes, mediaType: headers['content-type'] ?? 'application/octet-stream' }
  watchdog.dispose()
  return rawAnswer(raw, target.servedModel, readRaw)
}
