// Owns the HTTP side: every request passes the same steps in the same order — door, principal, scope, body,
// idempotency, handler — whichever door it came in by. Knows nothing of what operations do.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { ChatRequest } from '../../shared/chat.ts'
import { type Operation, type OperationId, operations } from '../../shared/operations.ts'
import { type GatewayError, invalidRequest, notFound, serverError } from '../errors.ts'
import { newRequestId, requestIdHeaders } from '../ids.ts'
import { authenticate, type Principal, requireScope } from './auth.ts'
import { corsHeaders, refusal } from './door.ts'
import { toGatewayError } from './errors.ts'
import { type Handlers, handlers, type JsonOperation } from './handlers.ts'
import type { KeptAnswer, Run } from './idempotency.ts'
import { installInterface } from './interface.ts'
import { parseStrictJson } from './json.ts'
import { openApiDocument } from './openapi.ts'
import { allowedMethods, fastifyPath } from './paths.ts'
import { readAway } from './read-away.ts'
import type { Rooms } from './rooms.ts'
import { answerChat, streamEvents } from './streams.ts'
import { validate } from './validate.ts'

const MAX_BODY_BYTES = 32 * 1024 * 1024
const JSON_TYPE = 'application/json; charset=utf-8'
const NO_ENDPOINT = 'There is no such endpoint. GET /openapi.json lists them.'

export interface Server {
  app: FastifyInstance
  /** Requests made inside this process for the owner. Nothing that came over a socket is ever in here. */
  owned: WeakSet<IncomingMessage>
}

export function createServer(rooms: Rooms): Server {
  const owned = new WeakSet<IncomingMessage>()
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    genReqId: newRequestId,
    exposeHeadRoutes: true,
    // A path that cannot be decoded comes to no hook and no handler.
    frameworkErrors: (_error, request, reply) => sendError(reply, notFound(NO_ENDPOINT), request.id),
  })
  app.setErrorHandler(async (error, request, reply) => {
    if (reply.raw.headersSent) return void reply.raw.destroy()
    const told = toGatewayError(error, rooms.log)
    if (told.status === 413) await readAway(request.raw)
    return sendError(reply, told, request.id)
  })
  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(request.raw.url ?? '')
    // With its own method allowed, it is an id longer than any there is that found no route.
    if (allowed.length === 0 || allowed.includes(request.method)) throw notFound(NO_ENDPOINT)
    reply.header('allow', allowed.join(', '))
    throw invalidRequest(`${request.method} is not possible here. Use ${allowed.join(' or ')}.`, {
      status: 405,
    })
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  app.addHook('onRequest', async (request, reply) => {
    for (const [name, value] of Object.entries(requestIdHeaders(request.id))) reply.raw.setHeader(name, value)
    if (owned.has(request.raw)) return
    // The connection's own port: one that outlives its listener (a drain, a new port) is still ours.
    const policy = {
      port: request.raw.socket.localPort ?? 0,
      allowedOrigins: rooms.settings.value.allowedOrigins,
    }
    const refused = refusal(request.raw, policy)
    if (refused) throw refused
    for (const [name, value] of Object.entries(corsHeaders(request.raw, policy)))
      reply.raw.setHeader(name, value)
  })
  installPreflight(app)
  installOperations(app, rooms, owned)
  const document = JSON.stringify(openApiDocument(rooms.version))
  app.get('/openapi.json', async (_request, reply) => reply.header('content-type', JSON_TYPE).send(document))
  installInterface(app, rooms.interfaceDir)
  return { app, owned }
}

/** Origins that the user allows may ask first; the door has refused all others by now. */
function installPreflight(app: FastifyInstance): void {
  app.options('/*', async (request, reply) => {
    if (request.headers.origin === undefined) return reply.callNotFound()
    return reply
      .header('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE')
      .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '')
      .header('access-control-max-age', '600')
      .code(204)
      .send()
  })
}

function installOperations(app: FastifyInstance, rooms: Rooms, owned: WeakSet<IncomingMessage>): void {
  const handle = handlers(rooms)
  for (const [id, operation] of Object.entries(operations) as [OperationId, Operation][]) {
    app.route({
      method: operation.method,
      url: fastifyPath(operation.path),
      handler: (request, reply) => serveOperation({ id, operation, request, reply, handle, rooms, owned }),
    })
  }
}

interface Serving {
  id: OperationId
  operation: Operation
  request: FastifyRequest
  reply: FastifyReply
  handle: Handlers
  rooms: Rooms
  owned: WeakSet<IncomingMessage>
}

async function serveOperation(serving: Serving): Promise<FastifyReply | undefined> {
  const { operation, request, reply, rooms, owned } = serving
  if (rooms.isDraining() && operation.scopes !== 'public') {
    throw serverError('Tollgate is shutting down. Try again when it is back.', 503, 'shutting_down')
  }
  const principal = principalOf(request.raw, operation, rooms, owned)
  refuseSecretInQuery(request.raw.url ?? '')
  const bytes = bodyBytes(request, operation)
  const run = await beginIdempotent(serving, principal, bytes)
  if (run && 'answer' in run) return sendKept(reply, run.answer)
  try {
    return await carryOut(serving, principal, bytes, run)
  } catch (error) {
    // Refused before anything took effect: a corrected request may use the key.
    await run?.drop()
    throw error
  }
}

async function carryOut(
  serving: Serving,
  principal: Principal,
  bytes: Buffer,
  run: Run | null,
): Promise<FastifyReply | undefined> {
  const { id, operation, request, reply, handle, rooms } = serving
  const body = operation.body ? validate(operation.body, parseStrictJson(bytes), 'request body') : undefined
  const query = operation.query ? validate(operation.query, request.query, 'query') : undefined
  if (id === 'streamEvents') {
    reply.hijack()
    streamEvents(reply.raw, principal, rooms)
    return undefined
  }
  if (id === 'createChatCompletion') {
    const { headers, id: requestId } = request
    const raw: ServerResponse = reply.raw
    // The schema of this operation made it so.
    const chat = body as ChatRequest
    await answerChat(
      { requestId, request: chat, body: bytes.toString('utf8'), principal, headers, raw, run },
      rooms,
    )
    reply.hijack()
    return undefined
  }
  const result = await callHandler(handle, id, { id: pathId(request), body, query, principal })
  const answer: KeptAnswer = {
    status: operation.status ?? 200,
    headers: { 'content-type': JSON_TYPE, ...requestIdHeaders(request.id) },
    body: JSON.stringify(result),
  }
  await run?.keep(answer)
  return sendKept(reply, answer)
}

/** The one place where the table's types meet values that its own schemas have just parsed. */
function callHandler(handle: Handlers, id: JsonOperation, call: object): unknown {
  const handler = handle[id] as (call: object) => unknown
  return handler(call)
}

function principalOf(
  raw: IncomingMessage,
  operation: Operation,
  rooms: Rooms,
  owned: WeakSet<IncomingMessage>,
): Principal {
  if (owned.has(raw) || operation.scopes === 'public') return { kind: 'owner' }
  const principal = authenticate(raw, rooms.keys)
  requireScope(principal, operation.scopes)
  if (principal.kind === 'key') rooms.keys.touch(principal.key)
  return principal
}

/** URLs end up in histories and logs. */
function refuseSecretInQuery(url: string): void {
  if (/[?&][^=]*=tg-/.test(url)) {
    throw invalidRequest('An API key must not be in the URL. Send it as "Authorization: Bearer <your key>".')
  }
}

function bodyBytes(request: FastifyRequest, operation: Operation): Buffer {
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  if (operation.body && bytes.length === 0) {
    if (request.headers['content-type'] === undefined) {
      throw invalidRequest('The body must be JSON: send "Content-Type: application/json".', { status: 415 })
    }
    throw invalidRequest('The request has no body.')
  }
  return bytes
}

/** For the window's own requests, which have no bearer, answers are sealed with a secret of this process. */
const ownerSecret = randomBytes(32).toString('base64url')

async function beginIdempotent(
  { operation, request, rooms }: Serving,
  principal: Principal,
  body: Buffer,
): Promise<Run | { answer: KeptAnswer } | null> {
  const key = request.headers['idempotency-key']
  if (operation.method !== 'POST' || typeof key !== 'string') return null
  const caller =
    principal.kind === 'key'
      ? { keyId: principal.key.id, secret: principal.secret }
      : { keyId: 'owner', secret: ownerSecret }
  const path = (request.raw.url ?? '').split('?', 1)[0] ?? ''
  const begun = await rooms.idempotency.begin({ ...caller, key, method: operation.method, path, body })
  return begun.kind === 'run' ? begun.run : { answer: begun.answer }
}

function pathId(request: FastifyRequest): string {
  const params = request.params as Record<string, string>
  return params.id ?? params['*'] ?? ''
}

function sendKept(reply: FastifyReply, answer: KeptAnswer): FastifyReply {
  return reply.code(answer.status).headers(answer.headers).send(answer.body)
}

function sendError(reply: FastifyReply, error: GatewayError, requestId: string): FastifyReply {
  return reply
    .code(error.status)
    .headers({ ...error.headers, 'content-type': JSON_TYPE, ...requestIdHeaders(requestId) })
    .send(JSON.stringify({ error: error.body }))
}
