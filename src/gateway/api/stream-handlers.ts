import type { ServerResponse } from 'node:http'
import { REFUSED_CHAT_FIELDS } from '../../shared/chat.ts'
import type { JsonOperationId, OperationId } from '../../shared/operations.ts'
import { complete } from '../inference/complete.ts'
import { errorFrame } from '../inference/frames.ts'
import { ClientDisconnected, keyRevoked, type RequestAborted, shuttingDown } from '../inference/in-flight.ts'
import type { KeyState } from '../keys/api-keys.ts'
import { invalidRequest } from '../platform/errors.ts'
import type { Principal } from './auth.ts'
import { describeClient } from './client-agent.ts'
import { HttpClientStream } from './client-stream.ts'
import { toGatewayError } from './errors.ts'
import type { StreamCall } from './operation-call.ts'
import type { GatewayServices } from './services.ts'

/** With this header and value, the owner or an admin bills a chat to the playground's key instead of their own. */
const BILL_TO_HEADER = 'x-tollgate-bill-to'
const PLAYGROUND = 'playground'
const PING_MS = 15_000
const MAX_QUEUED_BYTES = 1024 * 1024

type StreamHandlers = {
  [K in Exclude<OperationId, JsonOperationId>]: (call: StreamCall<K>) => void | Promise<void>
}

export function createStreamHandlers(services: GatewayServices): StreamHandlers {
  return {
    createChatCompletion: (call) => createChatCompletion(call, services),
    streamEvents: ({ response, principal }) => streamEvents(response, principal, services),
  }
}

type ChatCall = StreamCall<'createChatCompletion'>

/** Throws GatewayError as long as nothing was sent; after that, a failure is part of the stream. */
async function createChatCompletion(call: ChatCall, services: GatewayServices): Promise<void> {
  const { requestId, body: request, bytes, headers, response, claim } = call
  rejectForbiddenFields(request)
  const key = await payingKey(call, services)
  if (key.purpose === 'playground') services.keys.touch(key)
  const stream = new HttpClientStream(response, claim !== null || services.settings.value.storeBodies)
  const client = describeClient(headers)
  try {
    await complete({ requestId, request, body: bytes, key, stream, client, sealer: claim }, services)
    claim?.finish()
  } catch (error) {
    // The client disconnected before an upstream was called: the idempotency key can be used again.
    if (error instanceof ClientDisconnected) return await claim?.drop()
    if (!stream.started) throw error
    claim?.finish()
    const { body } = toGatewayError(error, services.log.child({ requestId }))
    stream.endAndClose(errorFrame(body), {})
  }
}

function rejectForbiddenFields(request: ChatCall['body']): void {
  const param = REFUSED_CHAT_FIELDS.find((field) => field in request)
  if (!param) return
  throw invalidRequest(
    `"${param}" is not accepted: where requests go is set under Providers, not by callers.`,
    { param },
  )
}

/** Every principal that can spend has a key: the window pays with the playground's. */
async function payingKey({ principal, headers }: ChatCall, { keys }: GatewayServices): Promise<KeyState> {
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

/** Sends every live event until the client disconnects, its key is revoked or the gateway stops. */
function streamEvents(response: ServerResponse, principal: Principal, services: GatewayServices): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  if (response.req.method === 'HEAD') return void response.end()
  response.write(': connected\n\n')
  const ping = setInterval(() => response.write(': ping\n\n'), PING_MS)
  const stop = () => {
    clearInterval(ping)
    unsubscribe()
  }
  const end = (reason: RequestAborted) => {
    stop()
    response.end(errorFrame(reason.body))
  }
  const unsubscribe = services.events.subscribe(
    (event) => {
      // A client that does not read is disconnected; it reloads everything when it connects again.
      if (response.writableLength > MAX_QUEUED_BYTES) response.destroy()
      else response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      if (principal.kind === 'key' && principal.key.revokedAt !== null) end(keyRevoked())
    },
    () => end(shuttingDown()),
  )
  response.once('close', stop)
  // A reset connection emits 'close' as well.
  response.on('error', () => undefined)
}
