import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Backup } from '../../shared/account.ts'
import type { JsonOperationId, OperationId } from '../../shared/operations.ts'
import type { Principal } from '../http/auth.ts'
import { requireDatabase } from '../http/read-body.ts'
import type { Exchange } from '../http/request-context.ts'
import { writeResponse } from '../http/send-response.ts'
import { hasExpired } from '../keys/key-ends.ts'
import { invalidRequest } from '../platform/errors.ts'
import {
  ClientDisconnected,
  keyExpired,
  keyRevoked,
  type RequestAborted,
  shuttingDown,
} from '../request/in-flight.ts'
import { withPath } from './count-tokens.ts'
import { serveInference, servePassThrough } from './inference.ts'
import { replayRequest } from './replay.ts'
import { createResponse } from './responses.ts'
import type { GatewayServices, StreamCall } from './services.ts'

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

/** Sends the metrics in the text format of Prometheus. */
async function sendMetrics(
  { exchange }: StreamCall<'getMetrics'>,
  { prometheus }: GatewayServices,
): Promise<void> {
  const { contentType, text } = await prometheus.read()
  writeResponse(exchange, { status: 200, headers: { 'content-type': contentType }, body: text })
}

const DATABASE_TYPE = 'application/vnd.sqlite3'
const MAX_BYTES = 4 * 1024 ** 3

/** Sends the file of a backup, in chunks. Throws 404. */
async function sendBackupFile(
  { id, exchange }: StreamCall<'getBackupFile'>,
  { backups }: GatewayServices,
): Promise<void> {
  const { response, method, headers } = exchange
  const file = await open(await backups.pathOf(id))
  try {
    response.writeHead(200, {
      ...headers,
      'content-type': DATABASE_TYPE,
      'content-length': (await file.stat()).size,
      'content-disposition': `attachment; filename="${id}"`,
    })
    if (method === 'HEAD') response.end()
    else await pipeline(file.createReadStream({ autoClose: false }), response)
  } finally {
    await file.close()
  }
}

/** Adds a backup from the body, which is written to the disk as it arrives. Throws 400, 413, 415 and ClientDisconnected. */
export async function importBackupFile(
  { request, response }: Exchange,
  { backups }: GatewayServices,
): Promise<Backup> {
  requireDatabase(request)
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) throw tooLarge()
  if (request.headers.expect !== undefined) response.writeContinue()
  return await backups.import(limited(request)).catch((thrown: unknown) => {
    if (request.destroyed && !request.complete) throw new ClientDisconnected()
    throw thrown
  })
}

async function* limited(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw tooLarge()
    yield chunk
  }
}

function tooLarge() {
  return invalidRequest('The file is larger than 4 GB.', { status: 413 })
}
