import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '../../shared/operations/operation.ts'
import { readBoundary } from '../formats/pass-through/form.ts'
import { readFields } from '../formats/pass-through/form-request.ts'
import { ClientDisconnected } from '../inference/in-flight.ts'
import { invalidRequest, serverError } from '../platform/errors.ts'
import { requestIdHeaders } from '../platform/ids.ts'
import { authenticate, type Principal, requireScope } from './auth.ts'
import { type BodyMemory, BodyMemoryLimit, UNLIMITED } from './body-memory-limit.ts'
import { isDisconnected } from './client-stream.ts'
import { requireContainerKey } from './container-requests.ts'
import { endpointNotFound } from './endpoints.ts'
import { createHandlers, type Handler } from './handlers.ts'
import { claimIdempotencyKey } from './idempotency-key.ts'
import { parseStrictJson } from './parse-json.ts'
import { registerBodyParser } from './read-body.ts'
import { type ReceivedCall, type ReceivedCalls, readRequestedModel } from './rejected-calls.ts'
import { type FoundOperation, fastifyRoutes, findOperation } from './route-paths.ts'
import { JSON_TYPE, writeResponse } from './send-response.ts'
import type { GatewayServices } from './services.ts'
import { validate } from './validate.ts'

export interface OperationsDeps {
  services: GatewayServices
  /** Requests made inside this process for the owner. */
  ownerRequests: WeakSet<IncomingMessage>
  calls: ReceivedCalls
  /** Answers anything that an operation throws. */
  handleError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void
}

/** A request that may be served, before its body is read. */
interface Admitted {
  call: ReceivedCall
  handler: Handler
  response: ServerResponse
  memory: BodyMemory
}

/**
 * A route for each operation. Every request passes the same checks, in this order: `onRequest`
 * before its body is read, then the body parser, then `serve`. Each throws what rejects the request.
 */
export function installOperations(app: FastifyInstance, deps: OperationsDeps): void {
  const { services, ownerRequests, calls, handleError } = deps
  const handlers = createHandlers(services)
  const admitted = new WeakMap<IncomingMessage, Admitted>()
  const bodies = new BodyMemoryLimit()
  registerBodyParser(app, (request) => admitted.get(request))
  for (const route of fastifyRoutes) {
    app.route<{ Params: PathParams }>({
      method: route.method,
      url: route.fastifyPath,
      onRequest: async ({ raw, params }, reply) => {
        const { method = '', url = '' } = raw
        const found = findOperation(route, url, raw.headers)
        // The router also matches a path without an id, or with another action, to a route.
        if (!found) throw endpointNotFound(method, url)
        const { operation } = found
        const handler = handlers.get(found.id)
        if (!handler) throw new Error(`the operation ${found.id} has no handler`)
        rejectWhileDraining(operation, services)
        const isOwner = ownerRequests.has(raw) || operation.scopes === 'public'
        const principal: Principal = isOwner ? { kind: 'owner' } : authenticate(raw, services.keys)
        requireContainerKey(raw, principal)
        const call = { principal, operation, pathId: readPathId(params, found), requested: null }
        calls.set(raw, call)
        if (operation.scopes !== 'public') requireScope(principal, operation.scopes)
        if (principal.kind === 'key') services.keys.touch(principal.key)
        rejectSecretInQuery(url, operation)
        admitted.set(raw, { call, handler, response: reply.raw, memory: memoryFor(principal, bodies) })
      },
      handler: async (request, reply) => {
        // Responses are written past the framework, so what is thrown has to be answered here.
        reply.hijack()
        try {
          const received = admitted.get(request.raw)
          if (!received) throw new Error('a request bypassed its authentication')
          await serve({ ...received, request }, services)
        } catch (error) {
          handleError(error, request, reply)
        }
      },
    })
  }
}

interface PathParams {
  id?: string
  '*'?: string
}

function readPathId({ id, '*': rest }: PathParams, { action }: FoundOperation): string {
  const text = id ?? rest ?? ''
  return text.slice(0, text.length - action.length)
}

interface Serving extends Omit<Admitted, 'memory'> {
  request: Pick<FastifyRequest, 'id' | 'headers' | 'raw' | 'query' | 'body'>
}

async function serve(serving: Serving, services: GatewayServices): Promise<void> {
  const { request, response, call, handler } = serving
  const { operation, principal, pathId } = call
  const bytes = requireBody(request, operation)
  const claimed = await claimIdempotencyKey(request, call, bytes, services)
  if (claimed?.kind === 'replay') return writeResponse(response, claimed.answer)
  const claim = claimed?.claim ?? null
  try {
    // The client may have disconnected while it waited for the first request with its key.
    if (claim && isDisconnected(response)) throw new ClientDisconnected()
    const json = operation.body && parseBody(bytes, operation, request.headers)
    call.requested = readRequestedModel(json)
    const body = operation.body && validate(operation.body, json, 'request body')
    const query = operation.query && validate(operation.query, request.query, 'query')
    const { headers, raw } = request
    const input = { id: pathId, body, query, principal, headers, url: raw.url ?? '', bytes }
    if (handler.kind === 'stream') {
      return await handler.handle({ ...input, requestId: request.id, response, claim })
    }
    const answer = {
      status: operation.status ?? 200,
      headers: { 'content-type': JSON_TYPE, ...requestIdHeaders(request.id) },
      body: JSON.stringify(await handler.handle(input)),
    }
    await claim?.store(answer)
    writeResponse(response, answer)
  } catch (error) {
    // Rejected before anything took effect: a corrected request may use the key.
    await claim?.drop()
    throw error
  }
}

function rejectWhileDraining({ scopes }: Operation, { isDraining }: GatewayServices): void {
  if (isDraining() && scopes !== 'public') {
    throw serverError('Tollgate is shutting down. Try again when it is back.', 503, 'shutting_down')
  }
}

/** URLs end up in histories and logs. */
function rejectSecretInQuery(url: string, { path }: Operation): void {
  const query = url.slice(url.indexOf('?') + 1)
  // Google's own parameter for a key.
  const isGoogles = path.startsWith('/v1beta/') && /(^|&)key=/.test(query)
  if (query !== url && (isGoogles || query.includes('=tg-'))) {
    throw invalidRequest('An API key must not be in the URL. Send it as "Authorization: Bearer <your key>".')
  }
}

function memoryFor(principal: Principal, bodies: BodyMemoryLimit): BodyMemory {
  return principal.kind === 'owner' || principal.key.scope === 'admin'
    ? UNLIMITED
    : bodies.forRequest(principal.key.id)
}

/** The body as JSON. A form is parsed only as far as it is validated. Throws 415 for another media type. */
function parseBody(bytes: Buffer, { form }: Operation, headers: IncomingHttpHeaders): unknown {
  const boundary = readBoundary(headers['content-type'])
  if (form && boundary !== null) return readFields(bytes, boundary)
  if (form === true) {
    throw invalidRequest(
      'The body must be a form: send "Content-Type: multipart/form-data" with its boundary.',
      {
        status: 415,
      },
    )
  }
  if (boundary === null) return parseStrictJson(bytes)
  throw invalidRequest('The body must be JSON: send "Content-Type: application/json".', { status: 415 })
}

function requireBody({ body, headers }: Serving['request'], operation: Operation): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  if (operation.body && bytes.length === 0) {
    if (headers['content-type'] === undefined) {
      throw invalidRequest('The body must be JSON: send "Content-Type: application/json".', { status: 415 })
    }
    throw invalidRequest('The request has no body.')
  }
  return bytes
}
