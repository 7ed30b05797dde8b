import type { ChatEvent, EventBatches, StreamAnswer } from '../formats/chat/events.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { StreamCutError } from '../spend/budget-errors.ts'
import {
  type AnswerWriter,
  answerContext,
  createAnswerWriter,
  describeAnswered,
  endFailed,
  getStatus,
  observe,
  type ReportedError,
  reportError,
} from './answer.ts'
import type { AdmittedRequest, InferenceCall, InferenceDeps } from './call.ts'
import { addCharges, withCost } from './charge.ts'
import type { AnsweredDispatch } from './dispatch.ts'
import { chargeAnsweredChoices, chargeFailed, type FailedCharge, heldAfter } from './failed-charge.ts'
import { ClientDisconnected, type ClientStream, type InFlightRequest, RequestAborted } from './in-flight.ts'
import { answerHeaders, costHeaders, type Ending, type FinalOutcome, JSON_TYPE } from './settle.ts'
import { StreamSpend } from './stream-budget.ts'
import type { TokenMeter } from './token-meter.ts'
import { type Candidate, maxCost, priceFactor } from './worst-case.ts'

const STREAM_TYPE = { 'content-type': 'text/event-stream; charset=utf-8' }
const COST_TRAILERS = ['X-Service-Tokens-In', 'X-Service-Tokens-Out', 'X-Service-Cost-Usd']

type StreamResult = AnsweredDispatch & { answer: StreamAnswer }

/** Passes the stream on to the client, up to its last bytes, which wait for the settlement. */
export async function relayStream(
  admitted: AdmittedRequest,
  result: StreamResult,
  deps: InferenceDeps,
): Promise<Ending> {
  const { call, meter, inFlight, entry } = admitted
  const { stream } = call
  const context = answerContext(call, result.route, Math.floor(deps.clock.now() / 1000))
  const spend = new StreamSpend(admitted, result, deps)
  const writer = createAnswerWriter(call, context, result.route, result.answer)
  const { mediaType, keepAlive } = writer.stream
  const type = mediaType === undefined ? STREAM_TYPE : { 'content-type': mediaType }
  const headers = {
    ...type,
    ...result.answer.headers,
    ...answerHeaders(admitted, result.route),
  }
  stream.begin(headers, COST_TRAILERS, keepAlive)
  const failure = await new StreamRelay(admitted, writer, spend).relay(result.answer.events)
  const { charge, candidate, heldNano } = await chargeStream(admitted, result, failure, deps)
  const trailers = costHeaders(charge)
  const reported = failure && reportError(failure, inFlight.signal)
  const usage = withCost(meter.chatUsage(candidate, charge), charge)
  const last = reported ? writer.fail(reported.error, reported.status) : writer.end(usage)
  return {
    outcome: {
      ...describeAnswered(result, candidate),
      charge,
      heldNano,
      status: getStatus(failure, inFlight.signal),
      httpStatus: 200,
      error: reported?.error ?? null,
      response:
        reported && last === null
          ? abortedResponse(reported, call)
          : {
              status: 200,
              headers: { ...headers, ...trailers },
              body: appendLast(stream.recorded, last ?? ''),
            },
    },
    observed: failure ? null : observe(entry, candidate, charge, usualBound(admitted, spend)),
    send: () => {
      if (last === null) stream.abort()
      else if (reported) stream.endAndClose(last, trailers)
      else stream.end(last, trailers)
    },
    fail: (error, status) => {
      const text = writer.fail(error, status)
      if (text === null) stream.abort()
      else stream.endAndClose(text, {})
    },
  }
}

/** The end of a stream whose row could not be written: it is aborted before any of it was passed on. */
export async function endUnrecorded(
  admitted: AdmittedRequest,
  result: StreamResult,
  deps: InferenceDeps,
): Promise<Ending> {
  const { route, attempts } = result
  const failure = new UpstreamFailure({
    kind: 'aborted',
    message: 'The request was ended because it could not be recorded.',
  })
  await countArrived(result.answer.events, admitted.meter)
  const charged = await chargeStream(admitted, result, failure, deps)
  const failed = [...result.failed, { route, failure, answered: [] }]
  return endFailed(admitted, { kind: 'failed', failure, failed, attempts }, charged)
}

function appendLast(recorded: Buffer | null, last: string): Buffer | null {
  return recorded && Buffer.concat([recorded, Buffer.from(last)])
}

/** The error for a replay when it could not be sent any more. */
function abortedResponse(
  { error, status }: ReportedError,
  { codec, requestId }: InferenceCall,
): FinalOutcome['response'] {
  return { status, headers: JSON_TYPE, body: JSON.stringify(codec.errorBody(error, status, requestId)) }
}

/**
 * The bound for requests that are passed through or under a strict limit: their worst case is reserved at the start and not
 * extended.
 */
function usualBound(
  { call, serving, discountPercent, isStrict }: AdmittedRequest,
  { baseNano }: StreamSpend,
): number {
  if (!serving || !(call.mode.kind === 'raw' || isStrict)) return baseNano
  return maxCost(serving, serving.bound.output, discountPercent) * priceFactor(serving)
}

/** A stream that failed without output is charged like an attempt that failed before it began. */
async function chargeStream(
  admitted: AdmittedRequest,
  { route, failed }: StreamResult,
  failure: UpstreamFailure | null,
  { forecast }: Pick<InferenceDeps, 'forecast'>,
): Promise<FailedCharge & { candidate: Candidate }> {
  const { meter } = admitted
  if (failure && !meter.hasOutput) {
    const all = [...failed, { route, failure, answered: [] }]
    const charged = await chargeFailed(admitted, all, forecast)
    return { ...charged, candidate: charged.candidate ?? route }
  }
  await meter.prepare()
  const before = await chargeAnsweredChoices(meter, failed)
  const charge = addCharges(meter.computeCharge(route, failure !== null), before.charge)
  const answered = { candidate: route, charge, failed, interrupted: failure !== null }
  return { charge, candidate: route, heldNano: heldAfter(admitted, answered, forecast) }
}

/** The request whose answer is sent. */
interface RelayedRequest {
  call: { stream: Pick<ClientStream, 'write'> }
  inFlight: Pick<InFlightRequest, 'signal' | 'abort'>
  meter: Pick<TokenMeter, 'recordChunk' | 'recordUsage'>
}

type Writer = Pick<AnswerWriter, 'normalize' | 'write'>
type Spend = Pick<StreamSpend, 'isCovered' | 'extend' | 'consumeAhead' | 'endPause' | 'recordUsage'>

/** Characters of a stream that are read while it is paused; one that brings more is ended. */
const MAX_AHEAD = 1024 * 1024

interface StreamEnd {
  /** Null for a complete stream. */
  failure: UpstreamFailure | null
}

/**
 * Sends the batches of a stream at the client's pace and within the reservation: each with one write. What comes while the
 * stream waits for its reservation, or after it was ended early, is counted, because its provider bills it.
 */
export class StreamRelay {
  readonly #relayed: RelayedRequest
  readonly #writer: Writer
  readonly #spend: Spend
  /** The part of the present batch that can be sent. */
  #text: string | Buffer = ''
  /** Why the stream ends with the next output. */
  #cut: UpstreamFailure | null = null
  #end: StreamEnd | null = null
  #batches: AsyncIterator<readonly ChatEvent[], undefined> | null = null
  /** The next batch, while it is waited for. */
  #next: Promise<IteratorResult<readonly ChatEvent[], undefined>> | null = null
  /** The batches that arrived during a pause, already counted. */
  #ahead: (readonly ChatEvent[])[] = []
  #isCounted = false

  constructor(relayed: RelayedRequest, writer: Writer, spend: Spend) {
    this.#relayed = relayed
    this.#writer = writer
    this.#spend = spend
  }

  /** Returns the failure that ended the stream; null when it is complete. */
  async relay(batches: EventBatches): Promise<UpstreamFailure | null> {
    const reader = batches[Symbol.asyncIterator]()
    this.#batches = reader
    try {
      for (;;) {
        const ahead = this.#ahead.shift()
        const next = ahead ? null : await (this.#next ?? reader.next())
        if (next) this.#next = null
        if (next?.done) break
        this.#isCounted = ahead !== undefined
        try {
          await this.#relayBatch(ahead ?? next?.value ?? [])
        } finally {
          // Also what came before a fault.
          await this.#send()
        }
        // An aborted stream ends by itself, after what has come.
        if (this.#end && !this.#relayed.inFlight.signal.aborted) break
      }
    } finally {
      await reader.return?.()
    }
    if (this.#end) return this.#end.failure
    return new UpstreamFailure({ kind: 'malformed', message: 'The stream ended without its end mark.' })
  }

  async #relayBatch(batch: readonly ChatEvent[]): Promise<void> {
    for (const upstreamEvent of batch) {
      for (const event of this.#writer.normalize(upstreamEvent)) {
        this.#end ??= this.#abortedEnd()
        if (this.#end) this.#record(event)
        else await this.#relayEvent(event)
      }
    }
  }

  async #relayEvent(event: ChatEvent): Promise<void> {
    if (event.type === 'done') this.#end = { failure: null }
    else if (event.type === 'failed') this.#end = { failure: event.failure }
    else {
      this.#record(event)
      if (event.type === 'usage') this.#spend.recordUsage()
      if (event.type === 'chunk' && !this.#cut && !this.#spend.isCovered)
        this.#cut = await this.#extendReservation()
      const data = this.#writer.write(event)
      this.#text = join(this.#text, data)
      // The events that reached the limit are paid for, so the client gets them.
      if (this.#cut && (data.length > 0 || event.type === 'native')) this.#end = { failure: this.#cut }
    }
  }

  /** Reads and counts what the provider goes on to send, until the pause ends. */
  async #readAhead(end: Promise<unknown>): Promise<void> {
    const reader = this.#batches
    let isPaused = true
    const resume = () => {
      isPaused = false
    }
    const resumed = end.then(resume, resume)
    let size = 0
    while (reader && isPaused) {
      this.#next ??= reader.next()
      const result = await Promise.race([this.#next, resumed])
      // Batches that arrived by then are relayed like all others.
      if (!result || !isPaused || result.done) return
      this.#next = null
      this.#ahead.push(result.value)
      for (const event of result.value) {
        recordEvent(event, this.#relayed.meter)
        size += computeSize(event)
      }
      this.#spend.consumeAhead()
      if (size > MAX_AHEAD) this.#spend.endPause()
    }
  }

  #record(event: ChatEvent): void {
    if (!this.#isCounted) recordEvent(event, this.#relayed.meter)
  }

  /**
   * Null unless the gateway ends the request. The answer for a client that left is stored for a repetition as far as it
   * arrives.
   */
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

  /** Sends the covered part before a wait. Null when the stream may go on, immediately or after the wait. */
  async #extendReservation(): Promise<UpstreamFailure | null> {
    const { inFlight } = this.#relayed
    await this.#send()
    try {
      await this.#spend.extend((end) => this.#readAhead(end))
      return null
    } catch (error) {
      if (error instanceof StreamCutError)
        inFlight.abort(new RequestAborted({ status: 402, ...error.reason }))
      else if (!inFlight.signal.aborted) throw error
      return endedEarly()
    }
  }
}

/** Counts what has come of a stream that is aborted before any of it was sent. */
async function countArrived(batches: EventBatches, meter: RelayedRequest['meter']): Promise<void> {
  for await (const batch of batches) for (const event of batch) recordEvent(event, meter)
}

function recordEvent(event: ChatEvent, meter: RelayedRequest['meter']): void {
  if (event.type === 'usage') meter.recordUsage(event.usage)
  else if (event.type === 'chunk') meter.recordChunk(event.chunk)
}

/** The size in characters, or in bytes where those pass through. */
function computeSize(event: ChatEvent): number {
  if (event.type === 'native') return event.data.length
  if (event.type === 'bytes') return event.bytes.byteLength
  return event.type === 'chunk' ? (event.raw?.length ?? 0) : 0
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
