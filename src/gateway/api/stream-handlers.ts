// Owns the two operations that write their own bytes: chat completions and live events.
import type { ServerResponse } from 'node:http'
import type { ChatRequest } from '../../shared/chat.ts'
import { REFUSED_CHAT_FIELDS } from '../../shared/chat.ts'
import type { ClaimHandle } from '../idempotency/idempotency.ts'
import { complete } from '../inference/complete.ts'
import { errorFrame } from '../inference/frames.ts'
import { ClientDisconnected, keyRevoked, type RequestAborted, shuttingDown } from '../inference/in-flight.ts'
import type { KeyState } from '../keys/api-keys.ts'
import { invalidRequest } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Principal } from './auth.ts'
import { describeClient } from './client-agent.ts'
import { HttpClientStream } from './client-stream.ts'
import { toGatewayError } from './errors.ts'
import type { GatewayServices } from './services.ts'

/** By this header, with this value, the owner or an admin bills a chat to the playground's key instead of their own. */
const BILL_TO_HEADER = 'x-tollgate-bill-to'
const PLAYGROUND = 'playground'
const PING_MS = 15_000

export interface ChatInput {
  requestId: string
  request: ChatRequest
  body: Buffer
  principal: Principal
  headers: NodeJS.Dict<string | string[]>
  raw: ServerResponse
  claim: ClaimHandle | null
}

/** Throws GatewayError as long as nothing was sent; afterwards every failure is a part of the answer. */
export async function answerChat(input: ChatInput, services: GatewayServices): Promise<void> {
  const { request, requestId, body, headers, raw, claim } = input
  const refused = REFUSED_CHAT_FIELDS.find((field) => field in request)
  if (refused) {
    throw invalidRequest(
      `"${refused}" is not accepted: where requests go is set under Providers, not by callers.`,
      { param: refused },
    )
  }
  const key = await payingKey(input, services)
  if (key.purpose === 'playground') services.keys.touch(key)
  const stream = new HttpClientStream(raw, claim !== null || services.settings.value.storeBodies)
  try {
    await complete(
      { requestId, request, body, key, stream, client: describeClient(headers), sealer: claim },
      services,
    )
    claim?.finish()
  } catch (error) {
    if (!(error instanceof ClientDisconnected))
      return failed(error, stream, claim, services.log.child({ requestId }))
    // Nobody is left to be answered, and no upstream was called: the idempotency key is free again.
    await claim?.drop()
  }
}

/** A fault of ours. Once a stream has begun, it can only be told at the stream's end. */
function failed(error: unknown, stream: HttpClientStream, claim: ClaimHandle | null, log: Log): void {
  if (!stream.started) throw error
  claim?.finish()
  stream.endAndClose(errorFrame(toGatewayError(error, log).body), {})
}

/** Every identity that can spend has a key: the window pays with the playground's. */
async function payingKey({ principal, headers }: ChatInput, services: GatewayServices): Promise<KeyState> {
  const billTo = headers[BILL_TO_HEADER]
  if (principal.kind === 'owner') return services.keys.playground()
  if (billTo === undefined) return principal.key
  if (billTo !== PLAYGROUND || principal.key.scope !== 'admin') {
    throw invalidRequest(`"${BILL_TO_HEADER}" can only be "${PLAYGROUND}", and only with an admin key.`, {
      param: BILL_TO_HEADER,
    })
  }
  return services.keys.playground()
}

/** Sends every live event until the client leaves, its key is revoked or the gateway stops. */
export function streamEvents(raw: ServerResponse, principal: Principal, services: GatewayServices): void {
  raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  if (raw.req.method === 'HEAD') return void raw.end()
  raw.write(': connected\n\n')
  const ping = setInterval(() => raw.write(': ping\n\n'), PING_MS)
  const leave = () => {
    clearInterval(ping)
    unsubscribe()
  }
  const end = (reason: RequestAborted) => {
    leave()
    raw.end(errorFrame(reason.body))
  }
  const unsubscribe = services.events.subscribe(
    (event) => {
      // A listener that does not read is let go; it asks for everything anew when it comes back.
      if (raw.writableLength > MAX_QUEUED_BYTES) raw.destroy()
      else raw.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      if (principal.kind === 'key' && principal.key.revokedAt !== null) end(keyRevoked())
    },
    () => end(shuttingDown()),
  )
  raw.once('close', leave)
  // Told by 'close' as well.
  raw.on('error', () => undefined)
}

const MAX_QUEUED_BYTES = 1024 * 1024
