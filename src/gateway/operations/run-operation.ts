import { createHash, randomBytes } from 'node:crypto'
import { parse as parseQuery } from 'node:querystring'
import type { Operation } from '../../shared/operations/operation.ts'
import { readBoundary, readFields, readForm } from '../formats/pass-through/body.ts'
import { authenticate, type Principal, requireScope, requireValid } from '../http/auth.ts'
import { isDisconnected } from '../http/client-stream.ts'
import { requireContainerKey } from '../http/network-access.ts'
import { decodeUtf8, parseStrictJson } from '../http/parse-json.ts'
import { type BodyMemory, BodyMemoryLimit, mustBeJson, readBody, UNLIMITED } from '../http/read-body.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { FoundRoute } from '../http/routes.ts'
import { JSON_TYPE, writeResponse } from '../http/send-response.ts'
import { validate } from '../http/validate.ts'
import type { ClaimHandle, ClaimResult } from '../idempotency/idempotency.ts'
import { invalidRequest, serverError } from '../platform/errors.ts'
import { requestIdHeaders } from '../platform/ids.ts'
import { ClientDisconnected } from '../request/in-flight.ts'
import { createHandlers } from './handlers.ts'
import { readRequestedModel } from './rejected-calls.ts'
import type { GatewayServices, Handler, ParsedCall } from './services.ts'

const OWNER: Principal = { kind: 'owner' }
const NO_BYTES = Buffer.alloc(0)

/**
 * Serves the operation of a request. Every request passes the same checks in the same order, and all that do not need the body
 * come before it is read. Each throws, or rejects, with what rejects the request.
 */
export function createOperationServer(
  services: GatewayServices,
): (context: RequestContext, route: FoundRoute) => Promise<void> {
  const handlers = createHandlers(services)
  const bodies = new BodyMemoryLimit()
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
  if (scopes !== 'public' && services.isDraining()) {
    throw serverError('Tollgate is shutting down. Try again when it is back.', 503, 'shutting_down')
  }
  const isOwner = context.isOwner || scopes === 'public'
  const principal = isOwner ? OWNER : authenticate(context.request.headers, context.query, services)
  requireContainerKey(context, principal)
  context.principal = principal
  if (scopes !== 'public') requireScope(principal, scopes)
  if (principal.kind === 'key') services.keys.touch(principal.key)
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
  const key = route.operation.file === 'body' ? null : readIdempotencyKey(context)
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
      {
        status: 415,
      },
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
function readIdempotencyKey({ method, request }: RequestContext): string | null {
  const key = request.headers['idempotency-key']
  return method === 'POST' && typeof key === 'string' ? key : null
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
    ...{ ...caller, key, method, path, bodyHash },
    checkCaller: () => requireValid(principal, services),
  })
}

/** Of a form, its parts count: an SDK that repeats a request chooses another boundary. */
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
