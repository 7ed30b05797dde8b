import { cutBody, StreamCutError } from '../billing/budget-errors.ts'
import type { ChatEvent, EventBatches } from '../formats/events.ts'
import { UpstreamFailure } from '../formats/upstream-failure.ts'
import type { AnswerWriter } from './answer-writer.ts'
import type { ClientStream } from './client-stream.ts'
import { ClientDisconnected, type InFlightRequest, spendLimitReached } from './in-flight.ts'
import type { Meter } from './meter.ts'
import type { StreamSpend } from './stream-budget.ts'

/** The request whose answer is sent. */
interface Relayed {
  call: { stream: Pick<ClientStream, 'write'> }
  inFlight: Pick<InFlightRequest, 'signal' | 'abort'>
  meter: Pick<Meter, 'recordChunk' | 'recordUsage'>
}

type Writer = Pick<AnswerWriter, 'normalize' | 'write'>
type Spend = Pick<StreamSpend, 'isCovered' | 'extend' | 'recordUsage'>

interface StreamEnd {
  /** Null for a complete stream. */
  failure: UpstreamFailure | null
}

/**
 * Sends the batches of a stream at the client's pace and within the reservation: each with one write. Of a stream that is ended
 * early, what has come by then is not sent, but counted, because its provider bills it.
 */
export class StreamRelay {
  readonly #relayed: Relayed
  readonly #writer: Writer
  readonly #spend: Spend
  /** What can be sent of the present batch. */
  #text: string | Buffer = ''
  /** Why the stream ends with the next output. */
  #cut: UpstreamFailure | null = null
  #end: StreamEnd | null = null

  constructor(relayed: Relayed, writer: Writer, spend: Spend) {
    this.#relayed = relayed
    this.#writer = writer
    this.#spend = spend
  }

  /** Returns the failure that ended the stream; null when it is complete. */
  async relay(batches: EventBatches): Promise<UpstreamFailure | null> {
    for await (const batch of batches) {
      try {
        await this.#relayBatch(batch)
      } finally {
        // Also what came before a fault.
        await this.#send()
      }
      // An aborted stream ends by itself, after what has come.
      if (this.#end && !this.#relayed.inFlight.signal.aborted) break
    }
    if (this.#end) return this.#end.failure
    return new UpstreamFailure({ kind: 'malformed', message: 'The stream ended without its end mark.' })
  }

  async #relayBatch(batch: readonly ChatEvent[]): Promise<void> {
    for (const upstreamEvent of batch) {
      for (const event of this.#writer.normalize(upstreamEvent)) {
        this.#end ??= this.#abortedEnd()
        if (this.#end) recordEvent(event, this.#relayed.meter)
        else await this.#relayEvent(event)
      }
    }
  }

  async #relayEvent(event: ChatEvent): Promise<void> {
    if (event.type === 'done') this.#end = { failure: null }
    else if (event.type === 'failed') this.#end = { failure: event.failure }
    else {
      recordEvent(event, this.#relayed.meter)
      if (event.type === 'usage') this.#spend.recordUsage()
      if (event.type === 'chunk' && !this.#cut && !this.#spend.isCovered)
        this.#cut = await this.#extendReservation()
      const data = this.#writer.write(event)
      this.#text = join(this.#text, data)
      // What reached the limit is paid for, so the client gets it.
      if (this.#cut && (data.length > 0 || event.type === 'native')) this.#end = { failure: this.#cut }
    }
  }

  /** Null unless the gateway ends the request. The answer of a client that left is stored for a repetition as far as it comes. */
  #abortedEnd(): StreamEnd | null {
    const { signal } = this.#relayed.inFlight
    if (this.#cut || !signal.aborted || signal.reason instanceof ClientDisconnected) return null
    return { failure: endedEarly() }
  }

  async #send(): Promise<void> {
    const text = this.#text
    if (text.length === 0) return
    this.#text = ''
    await this.#relayed.call.stream.write(text, this.#relayed.inFlight.signal)
  }

  /** What is covered is sent before a wait. Null when the stream may go on, at once or after it. */
  async #extendReservation(): Promise<UpstreamFailure | null> {
    const { inFlight } = this.#relayed
    await this.#send()
    try {
      await this.#spend.extend()
      return null
    } catch (error) {
      if (error instanceof StreamCutError) inFlight.abort(spendLimitReached(cutBody(error.reason)))
      else if (!inFlight.signal.aborted) throw error
      return endedEarly()
    }
  }
}

/** Counts what has come of a stream that is aborted before any of it was sent. */
export async function countArrived(batches: EventBatches, meter: Relayed['meter']): Promise<void> {
  for await (const batch of batches) for (const event of batch) recordEvent(event, meter)
}

function recordEvent(event: ChatEvent, meter: Relayed['meter']): void {
  if (event.type === 'usage') meter.recordUsage(event.usage)
  else if (event.type === 'chunk') meter.recordChunk(event.chunk)
}

function endedEarly(): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'aborted',
    message: 'The request was ended before its answer was complete.',
  })
}

function join(before: string | Buffer, data: string | Buffer): string | Buffer {
  if (before.length === 0) return data
  if (typeof before === 'string' && typeof data === 'string') return before + data
  return Buffer.concat([Buffer.from(before), Buffer.from(data)])
}
