// Owns one attempt at one target over HTTP: request out, answer or failure back. Knows nothing of retries, of other
// targets, or of who asks.
import { randomUUID } from 'node:crypto'
import type { ChatRequest } from '../../shared/chat.ts'
import type { CompletionIdentity, EncodedRequest, FormatCodec } from '../formats/codec.ts'
import { codecOf } from '../formats/codecs.ts'
import type { Answer, PlainAnswer } from '../formats/events.ts'
import { parseJson } from '../formats/json.ts'
import { completionEvents } from '../formats/openai-chat/completion-events.ts'
import type { Target } from '../formats/target.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import { SentMark, type UpstreamPool } from './connection-pool.ts'
import {
  type Call,
  failureOf,
  MAX_BODY_BYTES,
  mediaType,
  mergeHeaders,
  type Reply,
  readSome,
  readText,
  send,
} from './exchange.ts'
import { streamAnswer } from './read-stream.ts'
import { redact, type Secrets, secretsOf } from './redact.ts'
import { readRetryAfter } from './retry-after.ts'
import { Watchdog } from './watchdog.ts'

const MAX_ERROR_BYTES = 65_536
const USER_AGENT = 'Tollgate'

/** The failure again, with nothing in it that must stay inside. */
export function redactFailure(
  failure: UpstreamFailure,
  secrets: Secrets,
  sent = failure.sent,
): UpstreamFailure {
  const { kind, status, retryAfterMs, usage } = failure
  return new UpstreamFailure({
    kind,
    status,
    retryAfterMs,
    usage,
    sent,
    message: redact(failure.message, secrets),
    code: failure.code === null ? null : redact(failure.code, secrets).slice(0, 100),
    param: failure.param === null ? null : redact(failure.param, secrets).slice(0, 200),
  })
}

/** The failure that a status outside 200-299 stands for. */
export async function statusFailure(
  reply: Reply,
  codec: FormatCodec,
  watchdog: Watchdog,
): Promise<UpstreamFailure> {
  const { status, headers, body } = reply
  if (status < 400) {
    body.destroy()
    return new UpstreamFailure({
      kind: 'status',
      status,
      message: `The provider answered with a redirect (${status}), which is not followed.`,
    })
  }
  const text = await readSome(body, MAX_ERROR_BYTES, watchdog)
  const said = mediaType(headers) === 'text/html' ? codec.errorBody('') : codec.errorBody(text)
  return new UpstreamFailure({
    kind: 'status',
    status,
    code: said.code ?? (status === 429 && said.type === 'insufficient_quota' ? said.type : null),
    param: said.param,
    message: said.message || `The provider answered with status ${status}.`,
    retryAfterMs: readRetryAfter(headers, Date.now()),
  })
}

async function readPlain(
  reply: Reply,
  codec: FormatCodec,
  target: Target,
  defaults: CompletionIdentity,
  watchdog: Watchdog,
): Promise<PlainAnswer> {
  watchdog.expect('no more of its answer', target.stallTimeoutMs)
  const body = parseJson(await readText(reply.body, MAX_BODY_BYTES, watchdog))
  if (body === undefined) {
    const type = mediaType(reply.headers) || 'no content type'
    throw new UpstreamFailure({ kind: 'malformed', message: `The answer is not JSON (${type}).` })
  }
  const answer = codec.plainAnswer(body, target, defaults)
  if (answer instanceof UpstreamFailure) throw answer
  return answer
}

async function readAnswer(
  reply: Reply,
  codec: FormatCodec,
  target: Target,
  streaming: boolean,
  watchdog: Watchdog,
  secrets: Secrets,
): Promise<Answer> {
  const defaults = {
    id: `chatcmpl-${randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: target.servedModel,
  }
  const type = mediaType(reply.headers)
  const isEventStream = type === 'text/event-stream' || (streaming && type === '')
  if (streaming && isEventStream) {
    return await streamAnswer({
      body: reply.body,
      parser: codec.streamParser(target, defaults),
      watchdog,
      stallTimeoutMs: target.stallTimeoutMs,
      redact: (failure) => redactFailure(failure, secrets),
    })
  }
  if (isEventStream || (streaming && !type.includes('json'))) {
    throw new UpstreamFailure({
      kind: 'malformed',
      message: `The answer has an unexpected content type (${type}).`,
    })
  }
  const answer = await readPlain(reply, codec, target, defaults, watchdog)
  watchdog.dispose()
  return streaming ? { kind: 'stream', events: completionEvents(answer) } : answer
}

/**
 * The headers of a call: ours, the credential, and what the provider's configuration adds. Never the caller's.
 * Throws UpstreamFailure for a credential that no header can hold.
 */
export function callHeaders(
  codec: FormatCodec,
  target: Pick<Target, 'headers'>,
  credential: string | null,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  if (credential !== null && !/^[\x20-\x7e]+$/.test(credential)) {
    throw new UpstreamFailure({
      kind: 'credential',
      message: 'The credential holds characters that cannot be sent.',
    })
  }
  const authorization = credential === null ? {} : codec.authorization(credential)
  return mergeHeaders(
    { 'user-agent': USER_AGENT, ...codec.headers, ...own, ...authorization },
    target.headers,
  )
}

/**
 * Calls the target once. Resolves when a plain answer is whole or a stream has sent its first chunk; after that a
 * stream's failure is its last event. Throws UpstreamFailure, redacted. Aborting `signal` closes the socket at once.
 * `prepared`: the request as the target is sent it, when that is known already.
 */
export async function attempt(
  target: Target,
  request: ChatRequest,
  credential: string | null,
  signal: AbortSignal,
  pool: UpstreamPool,
  prepared?: EncodedRequest,
): Promise<Answer> {
  if (target.apiFormat === 'sandbox') throw new TypeError('the sandbox is not called over HTTP')
  const codec = codecOf(target.apiFormat)
  const secrets = secretsOf(target, credential)
  const { path, headers, body } = prepared ?? codec.chatRequest(request, target)
  const call: Call = {
    method: 'POST',
    url: target.baseUrl + path,
    headers: callHeaders(codec, target, credential, headers),
    body,
    connectTimeoutMs: target.connectTimeoutMs,
  }
  const watchdog = new Watchdog(signal, target.totalTimeoutMs)
  watchdog.expect('nothing', target.firstByteTimeoutMs)
  let reply: Reply | null = null
  const mark = new SentMark()
  try {
    reply = await send(call, pool, watchdog, mark)
    if (reply.status < 200 || reply.status > 299) throw await statusFailure(reply, codec, watchdog)
    return await readAnswer(reply, codec, target, request.stream === true, watchdog, secrets)
  } catch (error) {
    watchdog.dispose()
    reply?.body.destroy()
    throw redactFailure(failureOf(error, watchdog), secrets, mark.sent)
  }
}
