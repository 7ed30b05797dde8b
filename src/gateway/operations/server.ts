import type { RequestListener } from 'node:http'
import { extname } from 'node:path'
import { isContainerRequest } from '../http/network-access.ts'
import { OriginGuard } from '../http/origin-guard.ts'
import { RequestContext } from '../http/request-context.ts'
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
  JSON_TYPE,
  sendError,
  toGatewayError,
  writeResponse,
} from '../http/send-response.ts'
import { readUiFile, UI_HEADERS } from '../http/static-files.ts'
import type { Outcome } from '../observe/telemetry/telemetry.ts'
import type { Log } from '../platform/log.ts'
import { ClientDisconnected } from '../request/in-flight.ts'
import { isInference, recordRejected } from './rejected-calls.ts'
import { createOperationServer } from './run-operation.ts'
import type { GatewayServices } from './services.ts'

export interface RequestListeners {
  /** For requests over TCP. */
  network: RequestListener
  /** For requests of the owner of the machine: from inside this process, or over the socket that only this user can open. */
  owner: RequestListener
}

/** The handler of every request. */
export function createRequestListeners(services: GatewayServices): RequestListeners {
  const { log, telemetry } = services
  const guard = new OriginGuard(services.settings, services.networkAccess)
  const serveOperation = createOperationServer(services)
  const serveOther = createOtherServer(services)
  const logsRequests = log.isLevelEnabled('debug')

  const serve = async (context: RequestContext): Promise<void> => {
    try {
      if (!context.isOwner) guard.check(context)
      if (context.request.headers.upgrade?.toLowerCase() === 'websocket') throw noWebSockets()
      const { method, path, request } = context
      const route = findRoute(method, path, request.headers)
      if (route && telemetry.concerns(request.headers)) startTrace(context, route, services)
      await (route ? serveOperation(context, route) : serveOther(context))
      if (context.trace) telemetry.endRequest(context.id, readOutcome(context))
    } catch (error) {
      reject(context, error, services)
    }
  }
  const listenAs =
    (isOwner: boolean): RequestListener =>
    (request, response) => {
      const context = new RequestContext(request, response, isOwner)
      if (logsRequests) logWhenClosed(context, log)
      void serve(context)
    }
  return { network: listenAs(false), owner: listenAs(true) }
}

/** Traces requests to models, from here on. */
function startTrace(
  context: RequestContext,
  { operation }: FoundRoute,
  { telemetry }: GatewayServices,
): void {
  const { id: requestId, method, path, request } = context
  if (!isInference(operation)) return
  const arrival = { requestId, method, route: openApiPath(operation.path), path }
  context.trace = telemetry.startRequest(arrival, request.headers)
}

/** Null if the client has left before its answer. */
function readOutcome({ response }: RequestContext): Outcome | null {
  return response.headersSent ? { status: response.statusCode, errorType: null } : null
}

/** Answers a request whose handling threw. */
function reject(context: RequestContext, thrown: unknown, services: GatewayServices): void {
  const log = services.log.child({ requestId: context.id })
  const error = toGatewayError(thrown, log)
  if (context.trace) {
    const type = error.body.code ?? error.body.type
    services.telemetry.endRequest(context.id, { status: error.status, errorType: type })
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

/** What is not an operation: CORS preflight, the OpenAPI document and the files of the interface. Throws 404 and 405. */
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
