// WebSockets at `/v1/responses`: the checks of the handshake, and the way of each turn to the handler of requests.
import { createServer, type IncomingHttpHeaders, ServerResponse, request as sendRequest } from 'node:http'
import { operations } from '../../shared/api/operations.ts'
import { type Principal, requireValid } from '../http/auth.ts'
import { connectInMemory } from '../http/owner-transport.ts'
import { type BodyMemory, BodyMemoryLimit } from '../http/read-body.ts'
import { RequestContext } from '../http/request-context.ts'
import { findRoute } from '../http/routes.ts'
import { toGatewayError } from '../http/send-response.ts'
import { type SocketPeer, type Upgrades, WebSockets } from '../http/websockets.ts'
import { ProviderSockets } from '../upstream/provider-sockets.ts'
import { ResponseTurns } from './response-turns.ts'
import type { GatewayServices } from './services.ts'

/** What a handshake and its turns have in common with other requests. */
export interface Door {
  /** Throws unless the caller may open the connection. */
  authorize(handshake: RequestContext): Principal
  /** The memory that the bodies of the caller may take. */
  memoryFor(principal: Principal): BodyMemory
  reject(handshake: RequestContext, thrown: unknown): void
  /** Handles the request of a turn, from the place where the handshake came from. */
  serveTurn(turn: RequestContext, handshake: RequestContext): void
}

const { method, path } = operations.createResponse

/** The memory of all conversations together. */
const MAX_KEPT_BYTES = 128 * 1024 * 1024

export function createResponseSockets(door: Door, services: GatewayServices): Upgrades {
  const clients = new WebSockets(services)
  const kept = new BodyMemoryLimit(MAX_KEPT_BYTES)

  function open(handshake: RequestContext, head: Buffer): void {
    const { request, response } = handshake
    handshake.route = findRoute(method, path, request.headers)
    const principal = door.authorize(handshake)
    const keyId = principal.kind === 'key' ? principal.key.id : principal.kind
    const place = clients.admit(keyId)
    response.detachSocket(request.socket)
    const sockets = new ProviderSockets()
    const createSession = (peer: SocketPeer) =>
      new ResponseTurns({
        peer,
        providers: sockets,
        requireCaller: () => requireValid(principal, services),
        post: createPost(handshake, door, sockets),
        memory: () => kept.forRequest(keyId),
        toError: (thrown) => toGatewayError(thrown, services.log),
        now: () => services.clock.now(),
      })
    const { socket } = request
    const memory = door.memoryFor(principal)
    clients.open({ request, socket, head, memory }, createSession, place.release).catch((err: unknown) => {
      services.log.error('A WebSocket could not be opened', { err })
      socket.destroy()
    })
  }

  return {
    accepts: ({ method: used, url = '', headers }) =>
      used === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && url.split('?', 1)[0] === path,
    serve(request, socket, head) {
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(request.socket)
      // The client may leave before the library listens.
      socket.on('error', () => socket.destroy())
      const handshake = new RequestContext(request, response, false)
      try {
        open(handshake, head)
      } catch (error) {
        response.once('finish', () => socket.end())
        door.reject(handshake, error)
      }
    },
  }
}

/** Sends the requests of a connection's turns, over connections in memory, with the headers of its handshake. */
function createPost(handshake: RequestContext, door: Door, sockets: ProviderSockets) {
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    const turn = new RequestContext(request, response, false)
    turn.sockets = sockets
    door.serveTurn(turn, handshake)
  })
  const headers = turnHeaders(handshake.request.headers)
  return (body: string) => {
    const createConnection = () => connectInMemory(server)
    const outgoing = sendRequest({ createConnection, method, path: handshake.url, headers })
    return outgoing.end(body)
  }
}

/** Headers of the connection or of the body, and a key of idempotency, which is for one request. */
const OF_HANDSHAKE =
  /^(?:connection|upgrade|sec-websocket-.*|keep-alive|te|trailer|transfer-encoding|expect|accept|accept-encoding|content-.*|idempotency-key)$/
/** The value of `openai-beta` that asks OpenAI for a WebSocket. */
const SOCKET_BETA = /^\s*responses_websockets=/

function turnHeaders(sent: IncomingHttpHeaders): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {}
  for (const [name, value] of Object.entries(sent)) if (!OF_HANDSHAKE.test(name)) headers[name] = value
  const betas = String(headers['openai-beta'] ?? '').split(',')
  const beta = betas.filter((each) => each !== '' && !SOCKET_BETA.test(each)).join(',')
  delete headers['openai-beta']
  return {
    ...headers,
    ...(beta !== '' && { 'openai-beta': beta }),
    'content-type': 'application/json',
    accept: 'text/event-stream',
    // A turn is part of a conversation.
    'x-tollgate-cache': 'bypass',
  }
}
