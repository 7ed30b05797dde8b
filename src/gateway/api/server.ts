import type { IncomingMessage } from 'node:http'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { ClientDisconnected } from '../inference/in-flight.ts'
import { notFound } from '../platform/errors.ts'
import { newRequestId } from '../platform/ids.ts'
import { logRequests } from './access-log.ts'
import { endpointNotFound } from './endpoints.ts'
import { toGatewayError } from './errors.ts'
import { openApiDocument } from './openapi.ts'
import { installOperations } from './operations.ts'
import { corsHeaders, guardOrigin } from './origin-guard.ts'
import { type ReceivedCalls, recordRejected } from './rejected-calls.ts'
import { commonHeaders } from './response-headers.ts'
import { JSON_TYPE, sendError, sendResponse } from './send-response.ts'
import type { GatewayServices } from './services.ts'
import { registerStaticUi } from './static-ui.ts'

export interface Server {
  app: FastifyInstance
  /** Requests made inside this process for the owner. A request that came over a socket is never in here. */
  ownerRequests: WeakSet<IncomingMessage>
}

/** The handler of every request, over loopback or in-process. */
export function createServer(services: GatewayServices): Server {
  const ownerRequests = new WeakSet<IncomingMessage>()
  const calls: ReceivedCalls = new WeakMap()
  const app = fastify({
    genReqId: newRequestId,
    exposeHeadRoutes: true,
    // Fastify calls no hook and no handler for a path that cannot be decoded.
    frameworkErrors: (_error, request, reply) =>
      sendError(
        notFound('This path cannot be decoded. GET /openapi.json lists the endpoints.'),
        request,
        reply,
        services.log,
      ),
  })
  const handleError = (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const error = toGatewayError(thrown, services.log.child({ requestId: request.id }))
    const responseStarted = thrown instanceof ClientDisconnected || reply.raw.headersSent
    // First, so that a failure to record the rejection does not affect the response.
    sendError(error, request, reply, services.log)
    if (!responseStarted) recordRejected(request, error, calls.get(request.raw), services)
  }
  app.setErrorHandler(handleError)
  app.setNotFoundHandler(({ method, raw }) => {
    throw endpointNotFound(method, raw.url ?? '')
  })
  app.addHook('onRequest', async (request, reply) => {
    for (const [name, value] of Object.entries(commonHeaders(request.id))) reply.raw.setHeader(name, value)
    if (!ownerRequests.has(request.raw)) {
      // The port of the connection, which may outlive its listener (while draining, or after a change of port).
      const policy = {
        port: request.raw.socket.localPort ?? 0,
        localAddress: request.raw.socket.localAddress,
        allowedOrigins: services.settings.value.allowedOrigins,
        containerAccess: services.settings.value.containerAccess,
      }
      const error = guardOrigin(request.raw, policy)
      if (error) throw error
      for (const [name, value] of Object.entries(corsHeaders(request.raw, policy)))
        reply.raw.setHeader(name, value)
    }
    // Before the body is read.
    if (request.is404) throw endpointNotFound(request.method, request.raw.url ?? '')
  })
  logRequests(app, services.log)
  registerPreflight(app)
  installOperations(app, { services, ownerRequests, calls, handleError })
  // Built on the first request: it takes some milliseconds, which would delay every start.
  let document: string | undefined
  app.get('/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(services.version))
    return sendResponse(reply, { status: 200, headers: { 'content-type': JSON_TYPE }, body: document })
  })
  registerStaticUi(app, services.interfaceDir)
  return { app, ownerRequests }
}

/** CORS preflight for allowed origins. The origin guard has rejected all others. */
function registerPreflight(app: FastifyInstance): void {
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
