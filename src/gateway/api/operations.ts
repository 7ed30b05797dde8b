// Owns the steps that every operation passes, in order: key, scope, body, idempotency, handler, answer. Knows nothing of
// what an operation does.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { ChatRequest } from '../../shared/chat.ts'
import { type Operation, type OperationId, operations } from '../../shared/operations.ts'
import type { ClaimHandle, StoredAnswer } from '../idempotency/idempotency.ts'
import { ClientDisconnected } from '../inference/in-flight.ts'
import { invalidRequest, serverError } from '../platform/errors.ts'
import { requestIdHeaders } from '../platform/ids.ts'
import { authenticate, type Principal, requireScope } from './auth.ts'
import { type BodyMemory, BodyMemoryLimit, UNLIMITED } from './body-memory-limit.ts'
import { isDisconnected } from './client-stream.ts'
import { endpointNotFound } from './endpoints.ts'
import { type Handlers, handlers, type JsonOperation } from './handlers.ts'
import { parseStrictJson } from './parse-json.ts'
import { registerBodyParser } from './read-body.ts'
import { askedIn, NOTHING_ASKED, type ReceivedCall, type ReceivedCalls } from './rejected-calls.ts'
import { allowedMethods, fastifyPath } from './route-paths.ts'
import { JSON_TYPE, sendResponse } from './send-response.ts'
import type { GatewayServices } from './services.ts'
import { answerChat, streamEvents } from './stream-handlers.ts'
import { validate } from './validate.ts'

export function installOperations(
  app: FastifyInstance,
  services: GatewayServices,
  owned: WeakSet<IncomingMessage>,
  calls: ReceivedCalls,
): void {
  const handle = handlers(services)
  const letIn = new WeakMap<IncomingMessage, LetIn>()
  const bodies = new BodyMemoryLimit()
  registerBodyParser(app, (request) => letIn.get(request))
  for (const [id, operation] of Object.entries(operations) as [OperationId, Operation][]) {
    app.route({
      method: operation.method,
      url: fastifyPath(operation.path),
      // Who may not ask is told so before a body is read.
      onRequest: async ({ raw }, reply) => {
        // The router also takes a path without an id for one that has an id.
        if (allowedMethods(raw.url ?? '').length === 0)
          throw endpointNotFound(raw.method ?? '', raw.url ?? '')
        if (services.isDraining() && operation.scopes !== 'public') {
          throw serverError('Tollgate is shutting down. Try again when it is back.', 503, 'shutting_down')
        }
        const principal = principalOf(raw, operation, services, owned)
        const call: ReceivedCall = { principal, operation, asked: NOTHING_ASKED }
        calls.set(raw, call)
        admit(principal, operation, services)
        refuseSecretInQuery(raw.url ?? '')
        letIn.set(raw, { call, response: reply.raw, memory: memoryFor(principal, bodies) })
      },
      handler: (request, reply) => {
        const found = letIn.get(request.raw)
        if (!found) throw new Error('a request came past its own authentication')
        return serveOperation({ id, request, reply, handle, services, call: found.call })
      },
    })
  }
}

/** A request whose caller is known, and may ask for it. */
interface LetIn {
  call: ReceivedCall
  response: ServerResponse
  memory: BodyMemory
}

interface Serving {
  id: OperationId
  request: FastifyRequest
  reply: FastifyReply
  handle: Handlers
  services: GatewayServices
  call: ReceivedCall
}

async function serveOperation(serving: Serving): Promise<void> {
  const { request, reply, call } = serving
  const bytes = bodyBytes(request, call.operation)
  const claim = await beginIdempotent(serving, bytes)
  if (claim && 'answer' in claim) return sendResponse(reply, claim.answer)
  try {
    // It may have left while it waited for the first request with its key.
    if (claim && isDisconnected(reply.raw)) throw new ClientDisconnected()
    return await carryOut(serving, bytes, claim)
  } catch (error) {
    // Refused before anything took effect: a corrected request may use the key.
    await claim?.drop()
    throw error
  }
}

async function carryOut(serving: Serving, bytes: Buffer, claim: ClaimHandle | null): Promise<void> {
  const { id, request, reply, handle, services, call } = serving
  const { operation, principal } = call
  const body = operation.body ? parseBody(operation.body, bytes, call) : undefined
  const query = operation.query ? validate(operation.query, request.query, 'query') : undefined
  if (id === 'streamEvents') {
    streamEvents(reply.raw, principal, services)
    reply.hijack()
    return
  }
  if (id === 'createChatCompletion') {
    const { headers, id: requestId } = request
    const raw: ServerResponse = reply.raw
    // The schema of this operation made it so.
    const chat = body as ChatRequest
    await answerChat({ requestId, request: chat, body: bytes, principal, headers, raw, claim }, services)
    reply.hijack()
    return
  }
  const result = await callHandler(handle, id, { id: pathId(request), body, query, principal })
  const answer: StoredAnswer = {
    status: operation.status ?? 200,
    headers: { 'content-type': JSON_TYPE, ...requestIdHeaders(request.id) },
    body: JSON.stringify(result),
  }
  await claim?.store(answer)
  sendResponse(reply, answer)
}

function parseBody(schema: z.ZodType, bytes: Buffer, call: ReceivedCall): unknown {
  const value = parseStrictJson(bytes)
  call.asked = askedIn(value)
  return validate(schema, value, 'request body')
}

/** The one place where the table's types meet values that its own schemas have just parsed. */
function callHandler(handle: Handlers, id: JsonOperation, call: object): unknown {
  const handler = handle[id] as (call: object) => unknown
  return handler(call)
}

function memoryFor(principal: Principal, bodies: BodyMemoryLimit): BodyMemory {
  return principal.kind === 'owner' || principal.key.scope === 'admin'
    ? UNLIMITED
    : bodies.forRequest(principal.key.id)
}

function principalOf(
  raw: IncomingMessage,
  operation: Operation,
  services: GatewayServices,
  owned: WeakSet<IncomingMessage>,
): Principal {
  if (owned.has(raw) || operation.scopes === 'public') return { kind: 'owner' }
  return authenticate(raw, services.keys)
}

/** Throws 403 when the scope does not allow the operation. */
function admit(principal: Principal, { scopes }: Operation, { keys }: GatewayServices): void {
  if (scopes === 'public') return
  requireScope(principal, scopes)
  if (principal.kind === 'key') keys.touch(principal.key)
}

/** URLs end up in histories and logs. */
function refuseSecretInQuery(url: string): void {
  const query = url.indexOf('?')
  if (query !== -1 && url.includes('=tg-', query)) {
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
  { request, services, call }: Serving,
  body: Buffer,
): Promise<ClaimHandle | { answer: StoredAnswer } | null> {
  const { operation, principal } = call
  const key = request.headers['idempotency-key']
  if (operation.method !== 'POST' || typeof key !== 'string') return null
  const caller = await callerOf(principal, services)
  const path = (request.raw.url ?? '').split('?', 1)[0] ?? ''
  const begun = await services.idempotency.claim({ ...caller, key, method: operation.method, path, body })
  return begun.kind === 'claimed' ? begun.claim : { answer: begun.answer }
}

/** The owner has no key: the claim belongs to the one that the window pays with. */
async function callerOf(principal: Principal, services: GatewayServices) {
  if (principal.kind === 'key') {
    const { id } = principal.key
    return { caller: id, keyId: id, secret: principal.secret }
  }
  return { caller: 'owner', keyId: (await services.keys.playground()).id, secret: ownerSecret }
}

function pathId(request: FastifyRequest): string {
  const params = request.params as Record<string, string>
  return params.id ?? params['*'] ?? ''
}
