// Owns the HTTP side's frame: the doors' checks, errors, preflight, and what is not an operation. Every request passes here,
// whichever door it came in by.
import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyInstance } from 'fastify'
import { ClientDisconnected } from '../inference/in-flight.ts'
import { notFound } from '../platform/errors.ts'
import { newRequestId } from '../platform/ids.ts'
import { logRequests } from './access-log.ts'
import { noSuchEndpoint } from './endpoints.ts'
import { toGatewayError } from './errors.ts'
import { openApiDocument } from './openapi.ts'
import { installOperations } from './operations.ts'
import { corsHeaders, refusal } from './origin-guard.ts'
import { noteRejected, type ReceivedCalls } from './rejected-calls.ts'
import { commonHeaders } from './response-headers.ts'
import { JSON_TYPE, sendAnswer, sendError } from './send-response.ts'
import type { GatewayServices } from './services.ts'
import { installInterface } from './static-ui.ts'

export interface Server {
  app: FastifyInstance
  /** Requests made inside this process for the owner. Nothing that came over a socket is ever in here. */
  owned: WeakSet<IncomingMessage>
}

export function createServer(services: GatewayServices): Server {
  const owned = new WeakSet<IncomingMessage>()
  const calls: ReceivedCalls = new WeakMap()
  const app = fastify({
    genReqId: newRequestId,
    exposeHeadRoutes: true,
    // A path that cannot be decoded comes to no hook and no handler.
    frameworkErrors: (_error, request, reply) =>
      sendError(
        notFound('This path cannot be decoded. GET /openapi.json lists the endpoints.'),
        request,
        reply,
        services.log,
      ),
  })
  app.setErrorHandler((thrown, request, reply) => {
    const told = toGatewayError(thrown, services.log.child({ requestId: request.id }))
    // Whoever left, or has an answer or a part of one, was not rejected.
    const unheard = thrown instanceof ClientDisconnected || reply.raw.headersSent
    // First, as the answer does not depend on what becomes of the note.
    sendError(told, request, reply, services.log)
    if (!unheard) noteRejected(request, told, calls.get(request.raw), services)
  })
  app.setNotFoundHandler(({ method, raw }) => {
    throw noSuchEndpoint(method, raw.url ?? '')
  })
  app.addHook('onRequest', async (request, reply) => {
    for (const [name, value] of Object.entries(commonHeaders(request.id))) reply.raw.setHeader(name, value)
    if (!owned.has(request.raw)) {
      // The connection's own port: one that outlives its listener (a drain, a new port) is still ours.
      const policy = {
        port: request.raw.socket.localPort ?? 0,
        allowedOrigins: services.settings.value.allowedOrigins,
      }
      const refused = refusal(request.raw, policy)
      if (refused) throw refused
      for (const [name, value] of Object.entries(corsHeaders(request.raw, policy)))
        reply.raw.setHeader(name, value)
    }
    // Before its body is read: nobody is going to look at it.
    if (request.is404) throw noSuchEndpoint(request.method, request.raw.url ?? '')
  })
  logRequests(app, services.log)
  installPreflight(app)
  installOperations(app, services, owned, calls)
  const document = JSON.stringify(openApiDocument(services.version))
  app.get('/openapi.json', (_request, reply) =>
    sendAnswer(reply, { status: 200, headers: { 'content-type': JSON_TYPE }, body: document }),
  )
  installInterface(app, services.interfaceDir)
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
