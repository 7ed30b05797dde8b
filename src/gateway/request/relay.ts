import { type AnswerWriter, createAnswerWriter } from '../formats/chat/answer-writer.ts'
import type { ChatEvent, EventBatches, StreamAnswer } from '../formats/chat/events.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import {
  answerContext,
  describeAnswered,
  endFailed,
  getStatus,
  observe,
  type ReportedError,
  reportError,
} from './answer.ts'
import type { InferenceCall } from './call.ts'
import { addCharges, withCost } from './charge.ts'
import type { AnsweredDispatch } from './dispatch.ts'
import { chargeAnsweredChoices, chargeFailed, type FailedCharge, heldAfter } from './failed-charge.ts'
import { ClientDisconnected, type ClientStream, type InFlightRequest } from './in-flight.ts'
import type { FinalOutcome } from './ledger.ts'
import type { Candidate } from './quote.ts'
import type { Run } from './run.ts'
import { costHeaders, type Ending, JSON_TYPE } from './settle.ts'
import { StreamSpend } from './stream-budget.ts'
import type { TokenMeter } from './token-meter.ts'

const STREAM_TYPE = { 'content-type': 'text/event-stream; charset=utf-8' }
const COST_TRAILERS = ['X-Service-Tokens-In', 'X-Service-Tokens-Out', 'X-Service-Cost-Usd']

type StreamResult = AnsweredDispatch & { answer: StreamAnswer }

/** Passes the stream on to the client, up to its last bytes, which wait for the settlement. */
export async function relayStream(run: Run, result: StreamResult): Promise<Ending> {
  const { call, meter, inFlight, entry, deps } = run
  const { stream } = call
  const context = answerContext(call, result.candidate, Math.floor(deps.clock.now() / 1000))
  const spend = new StreamSpend(run, result)
  const writer = createAnswerWriter(call.codec, context, result.candidate.mode, result.answer)
  const { mediaType, keepAlive } = writer.stream
  const type = mediaType === undefined ? STREAM_TYPE : { 'content-type': mediaType }
  const headers = {
    ...type,
    ...result.answer.headers,
    ...run.answerHeaders(result.candidate),
  }
  stream.begin(headers, COST_TRAILERS, keepAlive)
  const failure = await new StreamRelay(run, writer, spend).relay(result.answer.events)
  const { charge, candidate, heldNano } = await chargeStream(run, result, failure)
  const trailers = costHeaders(charge)
  const reported = failure && reportError(failure, inFlight.signal)
  const usage = withCost(meter.chatUsage(charge), charge)
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
    observed: failure ? null : observe(entry, candidate, charge, spend.baseNano),
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
export async function endUnrecorded(run: Run, result: StreamResult): Promise<Ending> {
  const { candidate, attempts } = result
  const failure = new UpstreamFailure({
    kind: 'aborted',
    message: 'The request was ended because it could not be recorded.',
  })
  await countArrived(result.answer.events, run.meter)
  const charged = await chargeStream(run, result, failure)
  const failed = [...result.failed, { candidate, failure, answered: [] }]
  return endFailed(run, { kind: 'failed', failure, failed, attempts }, charged)
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

/** A stream that failed without output is charged like an attempt that failed before it began. */
async function chargeStream(
  run: Run,
  { candidate, failed }: StreamResult,
  failure: UpstreamFailure | null,
): Promise<FailedCharge & { candidate: Candidate }> {
  const { meter } = run
  if (failure && !meter.hasOutput) {
    const all = [...failed, { candidate, failure, answered: [] }]
    const charged = await chargeFailed(meter, all)
    return { ...charged, candidate: charged.candidate ?? candidate }
  }
  await meter.prepare()
  const answeredCharge = await chargeAnsweredChoices(meter, failed)
  const charge = addCharges(meter.computeCharge(candidate, failure !== null), answeredCharge.charge)
  const answered = { candidate, charge, failed, interrupted: failure !== null }
  return { charge, candidate, heldNano: heldAfter(run, answered) }
}

/** The request whose answer is sent. */
interface RelayedRequest {
  call: { stream: Pick<ClientStream, 'write'> }
  inFlight: Pick<InFlightRequest, 'signal'>
  meter: Pick<TokenMeter, 'recordChunk' | 'recordUsage'>
}

type Writer = Pick<AnswerWriter, 'normalize' | 'write'>
type Spend = Pick<StreamSpend, 'isMetered' | 'record'>

/**
 * Sends the batches of a stream within the reservation: each with one write. A stream that is metered is read as its provider
 * writes, whatever its client does. What comes after the request was ended is counted, because its provider bills it.
 */
export class StreamRelay {
  readonly #relayed: RelayedRequest
  readonly #writer: Writer
  readonly #spend: Spend
  /** The part of the present batch that can be sent. */
  #text: string | Buffer = ''
  #end: { failure: UpstreamFailure | null } | null = null

  constructor(relayed: RelayedRequest, writer: Writer, spend: Spend) {
    this.#relayed = relayed
    this.#writer = writer
    this.#spend = spend
  }

  /** Returns the failure that ended the stream; null when it is complete. */
  async relay(batches: EventBatches): Promise<UpstreamFailure | null> {
    for await (const batch of batches) {
      try {
        this.#relayBatch(batch)
      } finally {
        // Also what came before a fault.
        await this.#send()
      }
      // An aborted stream ends by itself, after what has come.
      if (this.#end && !this.#relayed.inFlight.signal.aborted) break
    }
    if (this.#end) return this.#end.failure
    if (this.#isEnded) return endedEarly()
    return new UpstreamFailure({ kind: 'malformed', message: 'The stream ended without its end mark.' })
  }

  /**
   * Whether the gateway has ended the request. The answer for a client that left is stored for a repetition as far as it
   * arrives.
   */
  get #isEnded(): boolean {
    const { signal } = this.#relayed.inFlight
    return signal.aborted && !(signal.reason instanceof ClientDisconnected)
  }

  #relayBatch(batch: readonly ChatEvent[]): void {
    // The batch that reaches a limit is paid for, so the client gets it.
    if (this.#isEnded) this.#end ??= { failure: endedEarly() }
    const isOver = this.#end !== null || batch.some(isLast)
    for (const upstreamEvent of batch) {
      for (const event of this.#writer.normalize(upstreamEvent)) {
        recordEvent(event, this.#relayed.meter)
        if (event.type === 'chunk') this.#spend.record(isOver)
        this.#write(event)
      }
    }
    if (isOver) this.#spend.record(true)
  }

  #write(event: ChatEvent): void {
    if (this.#end) return
    if (event.type === 'done') this.#end = { failure: null }
    else if (event.type === 'failed') this.#end = { failure: event.failure }
    else this.#text = join(this.#text, this.#writer.write(event))
  }

  async #send(): Promise<void> {
    const text = this.#text
    if (text.length === 0) return
    this.#text = ''
    const drained = this.#relayed.call.stream.write(text, this.#relayed.inFlight.signal)
    if (!this.#spend.isMetered) await drained
  }
}

function isLast({ type }: ChatEvent): boolean {
  return type === 'done' || type === 'failed'
}

/** Counts what has come of a stream that is aborted before any of it was sent. */
async function countArrived(batches: EventBatches, meter: RelayedRequest['meter']): Promise<void> {
  for await (const batch of batches) for (const event of batch) recordEvent(event, meter)
}

function recordEvent(event: ChatEvent, meter: RelayedRequest['meter']): void {
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
