import type { ClientFormat, Operation, PassThroughEndpoint } from '../../shared/api/operations/operation.ts'
import { type OperationId, operations } from '../../shared/api/operations.ts'
import { API_FORMATS, type ApiFormat } from '../../shared/api/providers.ts'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import type { ClientCodec, DecodedRequest, NativeRequest } from '../formats/chat/codec-types.ts'
import { clientCodecs, getCodec } from '../formats/codecs.ts'
import type { JsonObject } from '../formats/json/json.ts'
import { readBoundary } from '../formats/pass-through/body.ts'
import { decodePassThrough } from '../formats/pass-through/decode.ts'
import type { Call, ParsedCall } from '../http/calls.ts'
import { BILL_TO_HEADER, describeClient } from '../http/describe-client.ts'
import { rejectForbiddenFields } from '../http/forbidden-fields.ts'
import { displayPath } from '../http/routes.ts'
import { HttpClientStream, toGatewayError } from '../http/send-response.ts'
import type { KeyState } from '../keys/key-state.ts'
import { invalidRequest } from '../platform/errors.ts'
import { pickHeaders } from '../platform/headers.ts'
import type { InferenceCall, PlanMode, RequestMode } from '../request/call.ts'
import { handleInference } from '../request/handle-inference.ts'
import { ClientDisconnected } from '../request/in-flight.ts'
import { shouldStoreBodies } from '../request/settle.ts'
import { readAgent } from '../sessions/agent-place.ts'
import { readTag } from '../sessions/live-sessions.ts'
import { findPlanSignIn, type PlanSignIn } from '../upstream/authorization/plan-sign-in.ts'
import type { GatewayServices } from './services.ts'

const PLAYGROUND = 'playground'

/** A call of an operation that sends a request to a model. */
export interface ModelCall extends Omit<Call<OperationId>, 'body' | 'query' | 'id'> {
  /** The validated body, with the model of an API that has it in the path. */
  body: JsonObject
  /** Overrides the client codec of the format. */
  codec?: ClientCodec
  /** The body for providers of the client's own format, if it differs from the client's. */
  nativeBody?: string
  /** The key that pays, if it is not that of the caller. */
  key?: KeyState
  /** How the log names the endpoint, if its path has an id. */
  endpoint?: string
}

/** The handlers of the operations whose rows name a format or what is passed through, by their ids. */
export function createInferenceHandlers(services: GatewayServices) {
  return Object.entries<Operation>(operations).flatMap(([id, { writes, format, passThrough }]) => {
    const serve = (call: ModelCall & ParsedCall) => {
      if (passThrough) return servePassThrough(call, passThrough, services)
      return serveInference(call, format ?? 'openai-chat', services)
    }
    return passThrough || (writes && format) ? [[id, serve] as const] : []
  })
}

/** Throws or rejects with GatewayError as long as nothing was sent; after that, a failure is part of the stream. */
export function serveInference(
  call: ModelCall,
  format: ClientFormat,
  services: GatewayServices,
): Promise<void> {
  rejectForbiddenFields(call.body)
  const codec: ClientCodec = call.codec ?? clientCodecs[format]
  const decoded = codec.decodeRequest(call.body)
  const isTextCompletion = format === 'openai-completions' || format === 'mistral-fim'
  const providerFormat = isTextCompletion ? 'openai-chat' : API_FORMATS.find((name) => name === format)
  const native = providerFormat && toNativeRequest(call, providerFormat, decoded.request)
  const signIn = findPlanSignIn(call.headers, isTextCompletion ? null : (providerFormat ?? null))
  if (signIn && native) {
    const mode = toPlanMode(call, native, signIn)
    return serveDecoded(call, { ...decoded, codec, mode }, services)
  }
  const mode: RequestMode = native
    ? {
        kind: 'native',
        native: { ...native, isTextCompletion },
      }
    : { kind: 'translated' }
  return serveDecoded(call, { ...decoded, codec, mode }, services)
}

/** A request that goes to the vendor of its client as it is, with the whole query. */
export function toPlanMode(
  { url, bytes }: Pick<ModelCall, 'url' | 'bytes'>,
  native: NativeRequest,
  signIn: PlanSignIn,
): PlanMode {
  const at = url.indexOf('?')
  const query = at === -1 ? '' : url.slice(at)
  return { kind: 'plan', native, query, signIn, bytes }
}

/** Passes a request through to a provider of the endpoint, like `serveInference`. */
function servePassThrough(
  call: ModelCall,
  endpoint: PassThroughEndpoint,
  services: GatewayServices,
): Promise<void> {
  const { body: json, bytes, headers } = call
  findPlanSignIn(headers, null)
  rejectForbiddenFields(json)
  const boundary = readBoundary(headers['content-type']) ?? ''
  const passThrough = decodePassThrough(endpoint, { json, bytes, boundary })
  const { model, text } = passThrough
  const request: ChatRequest = { model, messages: [{ role: 'user', content: text }] }
  const decoded = { request, unsupported: null }
  const mode: RequestMode = { kind: 'raw', passThrough }
  return serveDecoded(call, { ...decoded, codec: clientCodecs['openai-chat'], mode }, services)
}

type DecodedCall = DecodedRequest & Pick<InferenceCall, 'codec' | 'mode'>

/** Like `serveInference`, for a request that is decoded. */
function serveDecoded(call: ModelCall, decoded: DecodedCall, services: GatewayServices): Promise<void> {
  const key = call.key ?? findPayingKey(call, services)
  return key instanceof Promise
    ? key.then((playground) => servePaid(call, decoded, playground, services))
    : servePaid(call, decoded, key, services)
}

/** `key`: the key that pays. */
function servePaid(
  call: ModelCall,
  decoded: DecodedCall,
  key: KeyState,
  services: GatewayServices,
): Promise<void> {
  const { context, body, bytes, headers, claim, principal } = call
  const requestId = context.id
  if (key.purpose === 'playground') services.keys.touch(key)
  const client = describeClient(headers)
  const session = services.sessions.enter({ keyId: key.id, headers, body, client }, services.clock.now())
  const endpoint = call.endpoint ?? `POST ${displayPath(context.path)}`
  const isOwn = call.key === undefined && principal.kind === 'key' && principal.key === key
  const stream = new HttpClientStream(context, services.clock)
  if (claim !== null || shouldStoreBodies(key, services)) stream.record()
  const inference: InferenceCall = {
    ...decoded,
    overflowFrom: null,
    ruled: false,
    instead: null,
    requestId,
    endpoint,
    json: body,
    headers,
    url: call.url,
    body: bytes,
    key,
    stream,
    client,
    session,
    agent: readAgent(headers),
    tag: key.tag ?? readTag(headers),
    sealer: claim,
    secret: isOwn ? principal.secret : null,
    trace: context.trace,
    sockets: context.sockets,
  }
  context.trace?.describe(decoded.request)
  return handleInference(inference, services).then(
    () => claim?.finish(),
    (error: unknown) => {
      // The client disconnected before an upstream was called: the idempotency key can be used again.
      if (error instanceof ClientDisconnected) return claim?.drop()
      if (!stream.started) throw error
      claim?.finish()
      endFailedStream(error, inference, stream, services)
    },
  )
}

function endFailedStream(
  error: unknown,
  { requestId, request: { model }, json: body, codec }: InferenceCall,
  stream: HttpClientStream,
  { log, clock }: GatewayServices,
): void {
  const { status, body: reported } = toGatewayError(error, log.child({ requestId }))
  const created = Math.floor(clock.now() / 1000)
  const writer = codec.streamWriter({ requestId, model, created, body })
  stream.endAndClose(writer.fail(reported, status), {})
}

/** The request for providers of the client's own format. */
export function toNativeRequest(
  {
    body,
    text,
    nativeBody,
    headers,
    url,
  }: Pick<ModelCall, 'body' | 'text' | 'nativeBody' | 'headers' | 'url'>,
  format: ApiFormat,
  chatRequest: ChatRequest,
): NativeRequest {
  return {
    format,
    body: nativeBody ?? text,
    json: body,
    chatRequest,
    stream: chatRequest.stream === true,
    query: forwardedQuery(url, format),
    headers: pickHeaders(headers, getCodec(format).native?.clientHeaders),
  }
}

/** Others could be credentials, or options of a server that is its own router. */
function forwardedQuery(url: string, format: ApiFormat): string {
  const at = url.indexOf('?')
  if (at === -1) return ''
  const names = getCodec(format).native?.clientParameters ?? []
  const parameters = new URLSearchParams(url.slice(at + 1))
  const kept = [...parameters].filter(([name]) => names.includes(name))
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`
}

/** Every principal that can spend has a key: the window pays with the playground's. */
export function findPayingKey(
  { principal, headers }: Pick<ModelCall, 'principal' | 'headers'>,
  { keys }: GatewayServices,
): KeyState | Promise<KeyState> {
  const billTo = headers[BILL_TO_HEADER]
  if (principal.kind === 'owner') return keys.playground()
  if (billTo === undefined) return principal.key
  if (billTo !== PLAYGROUND || principal.key.scope !== 'admin') {
    throw invalidRequest(`"${BILL_TO_HEADER}" can only be "${PLAYGROUND}", and only with an admin key.`, {
      param: BILL_TO_HEADER,
    })
  }
  return keys.playground()
}
