import { createHash, randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { extname } from 'node:path'
import { parse as parseQuery } from 'node:querystring'
import { type Operation, takesIdempotencyKey } from '../../shared/api/operations/operation.ts'
import { operations } from '../../shared/api/operations.ts'
import { readBoundary, readFields, readForm } from '../formats/pass-through/body.ts'
import { authenticate, type Principal, requireScope, requireValid } from '../http/auth.ts'
import type { Handler, ParsedCall } from '../http/calls.ts'
import { decodeUtf8, parseStrictJson, validate } from '../http/json-body.ts'
import { isContainerRequest, OriginGuard, requireContainerKey } from '../http/origin-guard.ts'
import { type BodyMemory, BodyMemoryLimit, mustBeJson, readBody, UNLIMITED } from '../http/read-body.ts'
import { RequestContext, readRequestedModel } from '../http/request-context.ts'
import {
  displayPath,
  endpointNotFound,
  type FoundRoute,
  findRoute,
  noWebSockets,
  openApiPath,
} from '../http/routes.ts'
import {
  type CompleteResponse,
  isDisconnected,
  JSON_TYPE,
  sendError,
  toGatewayError,
  writeResponse,
} from '../http/send-response.ts'
import { readUiFile, UI_HEADERS } from '../http/static-files.ts'
import type { Upgrades } from '../http/websockets.ts'
import type { ClaimHandle, ClaimResult } from '../idempotency/idempotency.ts'
import { invalidRequest } from '../platform/errors.ts'
import { requestIdHeaders } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { readTraceParent, traceHeaders } from '../platform/trace-context.ts'
import { ClientDisconnected, shuttingDown } from '../request/in-flight.ts'
import { passTraceOn, type TraceOutcome } from '../upstream/request-trace.ts'
import { createHandlers } from './handlers.ts'
import { isInference, recordRejected } from './rejected-calls.ts'
import { createResponseSockets, type Door } from './response-sockets.ts'
import type { GatewayServices } from './services.ts'

export interface RequestListeners {
  /** The listener for requests over TCP. */
  network: RequestListener
  /**
   * The listener for requests of the machine's owner: from inside this process, or over the socket that only this user can
   * open.
   */
  owner: RequestListener
  /** The WebSockets that are served over TCP. */
  upgrades: Upgrades
}

/** The handler of every request. */
export function createRequestListeners(services: GatewayServices): RequestListeners {
  const { log, tracer } = services
  const guard = new OriginGuard(services.settings, services.networkAccess)
  const bodies = new BodyMemoryLimit()
  const serveOperation = createOperationServer(services, bodies)
  const serveOther = createOtherServer(services)
  const logsRequests = log.isLevelEnabled('debug')

  const serve = (context: RequestContext, handshake: RequestContext): Promise<void> => {
    if (!context.isOwner) guard.check(handshake)
    context.isOnBridge = handshake.isOnBridge
    if (context.request.headers.upgrade?.toLowerCase() === 'websocket') throw noWebSockets()
    const { method, path, request } = context
    const route = findRoute(method, path, request.headers)
    if (route && (tracer?.isOn || request.headers.traceparent !== undefined))
      startTrace(context, route, services)
    return route ? serveOperation(context, route) : serveOther(context)
  }
  const begin = (context: RequestContext, handshake = context) => {
    if (logsRequests) logWhenClosed(context, log)
    try {
      const served = serve(context, handshake)
      const traced = context.trace
        ? served.then(() => tracer?.endRequest(context.id, readOutcome(context)))
        : served
      traced.catch((error: unknown) => reject(context, error, services))
    } catch (error) {
      reject(context, error, services)
    }
  }
  const listenAs =
    (isOwner: boolean): RequestListener =>
    (request, response) =>
      begin(new RequestContext(request, response, isOwner))
  const door: Door = {
    authorize(handshake) {
      guard.check(handshake)
      return authorize(handshake, operations.createResponse, services)
    },
    memoryFor: (principal) => memoryFor(principal, bodies),
    reject: (handshake, thrown) => reject(handshake, thrown, services),
    serveTurn: begin,
  }
  return {
    network: listenAs(false),
    owner: listenAs(true),
    upgrades: createResponseSockets(door, services),
  }
}

/** Traces requests to models, from here on. Without a tracer, the trace of the caller is passed on. */
function startTrace(context: RequestContext, { operation }: FoundRoute, { tracer }: GatewayServices): void {
  const { id: requestId, method, path, request } = context
  if (!isInference(operation)) return
  const parent = readTraceParent(request.headers)
  const arrival = { requestId, method, route: openApiPath(operation.path), path, parent }
  context.trace = tracer?.startRequest(arrival) ?? (parent && passTraceOn(traceHeaders(parent)))
}

/** Null if the client has left before its answer. */
function readOutcome({ response }: RequestContext): TraceOutcome | null {
  return response.headersSent ? { status: response.statusCode, errorType: null } : null
}

/** Answers a request whose handling threw. */
function reject(context: RequestContext, thrown: unknown, services: GatewayServices): void {
  const log = services.log.child({ requestId: context.id })
  const error = toGatewayError(thrown, log)
  if (context.trace) {
    const type = error.body.code ?? error.body.type
    services.tracer?.endRequest(context.id, { status: error.status, errorType: type })
  }
  const responseStarted = thrown instanceof ClientDisconnected || context.response.headersSent
  sendError(error, context, log)
  if (responseStarted) return
  try {
    recordRejected(context, error, services)
  } catch (err) {
    log.error('A rejected request could not be recorded', { err })
  }
}

/**
 * Serves requests other than operations: CORS preflight, the OpenAPI document and the files of the interface. Throws 404 and
 * 405.
 */
function createOtherServer({
  version,
  interfaceDir,
}: GatewayServices): (context: RequestContext) => Promise<void> {
  // Loaded and built on the first request: both take some milliseconds, which would delay every start.
  let document: string | undefined
  return async (context) => {
    const { method, path, url, request } = context
    if (method === 'OPTIONS' && request.headers.origin !== undefined) return answerPreflight(context)
    const reads = method === 'GET' || method === 'HEAD'
    if (reads && path === '/openapi.json') {
      const { openApiDocument } = await import('./openapi.ts')
      document ??= JSON.stringify(openApiDocument(version))
      return writeResponse(context, { status: 200, headers: { 'content-type': JSON_TYPE }, body: document })
    }
    const file = reads && interfaceDir !== null ? await findUiResponse(context, interfaceDir) : null
    if (!file) throw endpointNotFound(method, url)
    writeResponse(context, file)
  }
}

/** CORS preflight for allowed origins. The origin guard has rejected all others. */
function answerPreflight({ request, response, headers }: RequestContext): void {
  const requested = request.headers['access-control-request-headers'] ?? ''
  response
    .writeHead(204, {
      ...headers,
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': requested,
      'access-control-max-age': '600',
    })
    .end()
}

/** The file of the built interface in `dir` for a browser on this machine; null if there is none at this path. */
async function findUiResponse(context: RequestContext, dir: string): Promise<CompleteResponse | null> {
  if (isContainerRequest(context)) return null
  const { request, path } = context
  // Browsers request a view as HTML. For any other client, a path that is not a file is an unknown endpoint.
  const isPage = path === '/' || (request.headers.accept ?? '').includes('text/html')
  const isServed = !/^\/v1(\/|$)/.test(path) && (isPage || extname(path) !== '')
  const file = isServed ? await readUiFile(dir, path) : null
  if (!file) return null
  return { status: 200, headers: { ...UI_HEADERS, 'content-type': file.type }, body: Buffer.from(file.bytes) }
}

/** Logs a request when its response is closed: method, path without the query, status and duration. */
function logWhenClosed({ id, method, url, response }: RequestContext, log: Log): void {
  const began = performance.now()
  response.once('close', () =>
    log.debug('Request', {
      requestId: id,
      method,
      path: displayPath(url),
      status: response.statusCode,
      durationMs: Math.round(performance.now() - began),
    }),
  )
}

const OWNER: Principal = { kind: 'owner' }
const NO_BYTES = Buffer.alloc(0)

/**
 * Serves the operation of a request. Every request passes the same checks in the same order, and all that do not need the body
 * come before it is read. Each throws, or rejects, with what rejects the request.
 */
function createOperationServer(
  services: GatewayServices,
  bodies: BodyMemoryLimit,
): (context: RequestContext, route: FoundRoute) => Promise<void> {
  const handlers = createHandlers(services)
  return (context, route) => {
    const { id, operation } = route
    const handler = handlers.get(id)
    if (!handler) throw new Error(`the operation ${id} has no handler`)
    context.route = route
    const principal = authorize(context, operation, services)
    const reading = operation.file === 'body' ? NO_BYTES : readBody(context, memoryFor(principal, bodies))
    return runOperation({ context, route, handler, principal, reading }, services)
  }
}

/** The caller, who may call the operation. */
function authorize(context: RequestContext, operation: Operation, services: GatewayServices): Principal {
  const { scopes } = operation
  if (scopes !== 'public' && services.stopping.aborted) throw shuttingDown()
  const isOwner = context.isOwner || scopes === 'public'
  const principal = isOwner ? OWNER : authenticate(context.request.headers, context.query, services)
  requireContainerKey(context, principal)
  context.principal = principal
  if (scopes !== 'public') requireScope(principal, scopes)
  if (principal.kind === 'key') {
    if (!isInference(operation)) services.operationLimits.admit(principal.key)
    services.keys.touch(principal.key)
  }
  if (context.query !== '') rejectSecretInQuery(context.query, operation)
  return principal
}

interface RunningOperation {
  context: RequestContext
  route: FoundRoute
  handler: Handler
  principal: Principal
  reading: Buffer | Promise<Buffer>
}

async function runOperation(running: RunningOperation, services: GatewayServices): Promise<void> {
  const { context, route, handler, principal } = running
  const bytes = await running.reading
  // The body may have taken its time.
  requireValid(principal, services)
  const { body, optionalBody } = route.operation
  if (body && !optionalBody && bytes.length === 0) throw missingBody(context)
  const key = takesIdempotencyKey(route.operation) ? readIdempotencyKey(context) : null
  const claimed =
    key === null ? null : await claimIdempotencyKey(key, context, { principal, bytes }, services)
  if (claimed?.kind === 'replay') return writeResponse(context, claimed.answer)
  const claim = claimed?.claim ?? null
  try {
    // The client may have disconnected while it waited for the first request with its key.
    if (claim && isDisconnected(context.response)) throw new ClientDisconnected()
    const call = parseCall(running, bytes, claim)
    if (route.operation.writes) return void (await handler.handle(call))
    const answer = {
      status: route.operation.status ?? 200,
      headers: { 'content-type': JSON_TYPE, ...requestIdHeaders(context.id) },
      body: JSON.stringify(await handler.handle(call)),
    }
    await claim?.store(answer)
    writeResponse(context, answer)
  } catch (error) {
    // Rejected before anything took effect: a corrected request may use the key.
    await claim?.drop()
    throw error
  }
}

function parseCall(
  { context, route, principal }: RunningOperation,
  bytes: Buffer,
  claim: ClaimHandle | null,
): ParsedCall {
  const { operation, pathId: id } = route
  const { headers } = context.request
  const { json, text } = operation.body ? parseBody(bytes, operation, headers['content-type']) : NO_CONTENT
  context.requested = readRequestedModel(json)
  const body = operation.body && validate(operation.body, json, 'request body')
  const query = operation.query && validate(operation.query, parseQuery(context.query), 'query')
  return { id, body, query, principal, headers, url: context.url, bytes, text, context, claim }
}

/** URLs end up in histories and logs. */
function rejectSecretInQuery(query: string, { path }: Operation): void {
  // Google's own parameter for a key.
  const isGoogles = path.startsWith('/v1beta/') && /(^|&)key=/.test(query)
  if (isGoogles || query.includes('=tg-')) {
    throw invalidRequest('An API key must not be in the URL. Send it as "Authorization: Bearer <your key>".')
  }
}

function memoryFor(principal: Principal, bodies: BodyMemoryLimit): BodyMemory {
  return principal.kind === 'owner' || principal.key.scope === 'admin'
    ? UNLIMITED
    : bodies.forRequest(principal.key.id)
}

interface BodyContent {
  json: unknown
  /** Empty for a form. */
  text: string
}

const NO_CONTENT: BodyContent = { json: undefined, text: '' }

/** The body as JSON. A form is parsed only as far as it is validated. Throws 415 for another media type. */
function parseBody(
  bytes: Buffer,
  { form, optionalBody }: Operation,
  contentType: string | undefined,
): BodyContent {
  if (optionalBody && bytes.length === 0) return { json: {}, text: '' }
  const boundary = readBoundary(contentType)
  if (form && boundary !== null) return { json: readFields(bytes, boundary), text: '' }
  if (form === true) {
    throw invalidRequest(
      'The body must be a form: send "Content-Type: multipart/form-data" with its boundary.',
      { status: 415 },
    )
  }
  if (boundary !== null) throw mustBeJson()
  const text = decodeUtf8(bytes)
  return { json: parseStrictJson(text), text }
}

function missingBody({ request }: RequestContext) {
  return request.headers['content-type'] === undefined
    ? mustBeJson()
    : invalidRequest('The request has no body.')
}

/** The owner has no bearer secret, so its stored answers are sealed with a secret of this process. */
const ownerSecret = randomBytes(32).toString('base64url')

/** The Idempotency-Key of a request; null if there is none. */
function readIdempotencyKey({ request }: RequestContext): string | null {
  const key = request.headers['idempotency-key']
  return typeof key === 'string' ? key : null
}

async function claimIdempotencyKey(
  key: string,
  { method, path, request }: RequestContext,
  { principal, bytes }: { principal: Principal; bytes: Buffer },
  services: GatewayServices,
): Promise<ClaimResult> {
  const bodyHash = hashBody(bytes, request.headers['content-type'])
  const caller = await identifyCaller(principal, services)
  return services.idempotency.claim({
    ...caller,
    key,
    method,
    path,
    bodyHash,
    checkCaller: () => requireValid(principal, services),
  })
}

/** Hashes the parts of a form, not its text: an SDK that repeats a request chooses another boundary. */
function hashBody(body: Buffer, contentType: string | undefined): Buffer {
  const hash = createHash('sha256')
  const boundary = readBoundary(contentType)
  const parts = boundary === null ? null : readForm(body, boundary)
  if (!parts) return hash.update(body).digest()
  for (const { headers, content } of parts) {
    hash.update(JSON.stringify([headers, content.byteLength])).update(content)
  }
  return hash.digest()
}

/** The owner's claims belong to the API key that the window pays with. */
async function identifyCaller(principal: Principal, { keys }: GatewayServices) {
  if (principal.kind === 'key') {
    const { id } = principal.key
    return { caller: id, keyId: id, secret: principal.secret }
  }
  return { caller: 'owner', keyId: (await keys.playground()).id, secret: ownerSecret }
}
