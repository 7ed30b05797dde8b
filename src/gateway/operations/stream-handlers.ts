import type { JsonOperationId, OperationId } from '../../shared/operations.ts'
import type { Principal } from '../http/auth.ts'
import type { Exchange } from '../http/request-context.ts'
import { hasExpired } from '../keys/key-ends.ts'
import { keyExpired, keyRevoked, type RequestAborted, shuttingDown } from '../request/in-flight.ts'
import { sendBackupFile } from './backup-files.ts'
import { withPath } from './gemini-handlers.ts'
import { serveInference, servePassThrough } from './inference-handler.ts'
import { sendMetrics } from './metrics-handler.ts'
import type { StreamCall } from './operation-call.ts'
import { replayRequest } from './replay-handler.ts'
import { createResponse } from './responses-handler.ts'
import type { GatewayServices } from './services.ts'

const PING_MS = 15_000
const MAX_QUEUED_BYTES = 1024 * 1024

type StreamHandlers = {
  [K in Exclude<OperationId, JsonOperationId>]: (call: StreamCall<K>) => void | Promise<void>
}

export function createStreamHandlers(services: GatewayServices): StreamHandlers {
  return {
    createChatCompletion: (call) => serveInference(call, 'openai-chat', services),
    generateContent: (call) => serveInference(withPath(call, false), 'gemini-generate', services),
    streamGenerateContent: (call) => serveInference(withPath(call, true), 'gemini-generate', services),
    createMessage: (call) => serveInference(call, 'anthropic-messages', services),
    createResponse: (call) => createResponse(call, services),
    createEmbedding: (call) => servePassThrough(call, 'embeddings', services),
    createModeration: (call) => servePassThrough(call, 'moderations', services),
    rerank: (call) => servePassThrough(call, 'rerank', services),
    createImage: (call) => servePassThrough(call, 'images', services),
    editImage: (call) => servePassThrough(call, 'imageEdits', services),
    createTranscription: (call) => servePassThrough(call, 'transcriptions', services),
    createTranslation: (call) => servePassThrough(call, 'translations', services),
    createSpeech: (call) => servePassThrough(call, 'speech', services),
    createCompletion: (call) => serveInference(call, 'openai-completions', services),
    createFimCompletion: (call) => serveInference(call, 'mistral-fim', services),
    replayRequest: (call) => replayRequest(call, services),
    getBackupFile: (call) => sendBackupFile(call, services),
    getMetrics: (call) => sendMetrics(call, services),
    streamEvents: ({ exchange, principal }) => streamEvents(exchange, principal, services),
  }
}

/** Sends every live event until the client disconnects, its key is revoked or expires, or the gateway stops. */
function streamEvents(
  { response, method, headers }: Exchange,
  principal: Principal,
  services: GatewayServices,
): void {
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' })
  if (method === 'HEAD') return void response.end()
  response.write(': connected\n\n')
  const ping = setInterval(() => {
    response.write(': ping\n\n')
    endWithKey()
  }, PING_MS)
  const stop = () => {
    clearInterval(ping)
    unsubscribe()
  }
  const end = (reason: RequestAborted) => {
    stop()
    response.end(`data: ${JSON.stringify({ error: reason.body })}\n\n`)
  }
  const endWithKey = () => {
    if (principal.kind === 'owner') return
    if (principal.key.revokedAt !== null) end(keyRevoked())
    else if (hasExpired(principal.key, services.clock.now())) end(keyExpired())
  }
  const unsubscribe = services.events.subscribe(
    (event) => {
      // A client that does not read is disconnected; it reloads everything when it connects again.
      if (response.writableLength > MAX_QUEUED_BYTES) response.destroy()
      else response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      endWithKey()
    },
    { onClose: () => end(shuttingDown()) },
  )
  response.once('close', stop)
  // A reset connection emits 'close' as well.
  response.on('error', () => undefined)
}
