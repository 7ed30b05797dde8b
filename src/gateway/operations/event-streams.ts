import type { ServerResponse } from 'node:http'
import type { LiveEvent } from '../../shared/api/events.ts'
import type { Principal } from '../http/auth.ts'
import type { Call } from '../http/calls.ts'
import { hasExpired } from '../keys/key-state.ts'
import { getTimers, type Timers } from '../platform/clock.ts'
import { keyExpired, keyRevoked, type RequestAborted, shuttingDown } from '../request/in-flight.ts'
import type { GatewayServices } from './services.ts'

const PING_MS = 15_000
const MAX_QUEUED_BYTES = 1024 * 1024

interface EventStream {
  response: ServerResponse
  principal: Principal
}

/** The clients of `GET /v1/events`. Each event is serialized once for all of them. */
export class EventStreams {
  readonly #services: GatewayServices
  readonly #timers: Timers
  readonly #open = new Set<EventStream>()
  #unsubscribe: (() => void) | null = null

  constructor(services: GatewayServices) {
    this.#services = services
    this.#timers = getTimers(services.clock)
  }

  /**
   * Sends every live event until the client disconnects, its key is revoked or expires, or the gateway stops. Throws 429 when the key
   * has too many streams.
   */
  open({ context, principal }: Call<'streamEvents'>): void {
    const { response, method, headers } = context
    const { operationLimits } = this.#services
    const release = principal.kind === 'key' ? operationLimits.openStream(principal.key) : () => {}
    response.once('close', release)
    // A reset connection emits 'close' as well.
    response.on('error', () => undefined)
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' })
    if (method === 'HEAD') return void response.end()
    response.write(': connected\n\n')
    const stream = { response, principal }
    const ping = this.#timers.setInterval(() => this.#write(stream, ': ping\n\n'), PING_MS)
    response.once('close', () => {
      this.#timers.clear(ping)
      this.#remove(stream)
    })
    this.#open.add(stream)
    this.#unsubscribe ??= this.#services.events.subscribe((event) => this.#send(event), {
      onClose: () => {
        for (const each of this.#open) this.#end(each, shuttingDown())
      },
    })
  }

  #send(event: LiveEvent): void {
    const bytes = Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    for (const stream of this.#open) this.#write(stream, bytes)
  }

  #write(stream: EventStream, bytes: Buffer | string): void {
    const { response, principal } = stream
    // A client that does not read is disconnected; it reloads everything when it connects again.
    if (response.writableLength > MAX_QUEUED_BYTES) response.destroy()
    else response.write(bytes)
    if (principal.kind === 'owner') return
    if (principal.key.revokedAt !== null) this.#end(stream, keyRevoked())
    else if (hasExpired(principal.key, this.#services.clock.now())) this.#end(stream, keyExpired())
  }

  #end(stream: EventStream, reason: RequestAborted): void {
    this.#remove(stream)
    stream.response.end(`data: ${JSON.stringify({ error: reason.body })}\n\n`)
  }

  #remove(stream: EventStream): void {
    this.#open.delete(stream)
    if (this.#open.size > 0) return
    this.#unsubscribe?.()
    this.#unsubscribe = null
  }
}
