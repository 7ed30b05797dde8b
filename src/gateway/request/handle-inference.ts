// One request, from its arrival to its last byte. Once its row is open, nothing leaves `handleInference` without settling
// it: every error ends in `settleFault`.
import { NO_HEADERS } from '../platform/headers.ts'
import { unlessAborted } from '../platform/wait.ts'
import { admit } from './admit.ts'
import { endFailed, endPlain } from './answer.ts'
import type { InferenceCall } from './call.ts'
import { type AnsweredDispatch, dispatch, type FailedDispatch } from './dispatch.ts'
import { chargeFailed } from './failed-charge.ts'
import type { RequestAborted } from './in-flight.ts'
import { endUnrecorded, relayStream } from './relay.ts'
import { Arrival, type InferenceDeps, type Run } from './run.ts'
import { findOffers } from './select.ts'
import { type Ending, reportProblems, settle, settleFault } from './settle.ts'

/** Answers the call over its client stream. Throws GatewayError for what is rejected before an upstream is called. */
export async function handleInference(call: InferenceCall, deps: InferenceDeps): Promise<void> {
  const { hooks, catalog, providerModels, spendLimits } = deps
  const arrival = new Arrival(call, deps)
  const { inFlight } = arrival
  const { signal } = inFlight
  try {
    try {
      arrival.requireUnpaused()
      for (const hook of hooks) {
        const preparing = hook.before?.(arrival)
        if (preparing) await unlessAborted(preparing, signal)
      }
    } catch (error) {
      throw arrival.refuse(error)
    }
    // An unknown model may be on a list that was never read.
    if (arrival.call.mode.kind !== 'plan' && !catalog.knows(call.request.model))
      await unlessAborted(providerModels.refreshMissing(), signal)
    for (const hook of hooks) {
      const answering = hook.answer?.(arrival)
      if (answering && (await answering)) return
    }
    const reading = spendLimits.readSession({ key: call.key, ...arrival.place })
    if (reading) await unlessAborted(reading, signal)
    const admitted = admit(arrival, findOffers(arrival))
    const run = admitted instanceof Promise ? await admitted : admitted
    inFlight.track(call.requestId, () => run.describeProgress())
    let refusal: RequestAborted | null = null
    try {
      const result = await dispatch(run)
      const ended = endRun(run, result)
      const ending = ended instanceof Promise ? await ended : ended
      for (const hook of hooks) {
        const calls = hook.keep?.(run, ending.outcome)
        if (calls) ending.outcome.also = [...(ending.outcome.also ?? []), ...calls]
      }
      await settle(run, ending.outcome)
      refusal = sendLast(ending, run)
      for (const hook of hooks) hook.after?.(run, ending.outcome)
      if (ending.observed) deps.forecast.observe(ending.observed)
      reportProblems(run, ending.outcome)
    } catch (error) {
      // Ends the upstream call first: what is charged below must not grow any more.
      inFlight.abort(error instanceof Error ? error : new Error('the request failed'))
      await settleFault(run)
      throw error
    }
    if (refusal) throw refusal
  } finally {
    arrival.end()
  }
}

/** Passes a stream on up to its last bytes, and charges what the provider may bill. */
function endRun(run: Run, result: AnsweredDispatch | FailedDispatch): Ending | Promise<Ending> {
  notifyAnswered(run, result)
  if (result.kind === 'failed')
    return chargeFailed(run.meter, result.failed).then((charged) => endFailed(run, result, charged))
  run.serving = result.candidate
  const { answer } = result
  if (answer.kind === 'plain') return endPlain(run, { ...result, answer })
  const stream = { ...result, answer }
  return run.entry.opened.then((isOpen) => (isOpen ? relayStream(run, stream) : endUnrecorded(run, stream)))
}

function notifyAnswered(run: Run, result: AnsweredDispatch | FailedDispatch): void {
  const isAnswered = result.kind === 'answered'
  const headers = (isAnswered ? result.answer.headers : result.failure.headers) ?? NO_HEADERS
  const isRefused = !isAnswered && result.failure.status === 429
  for (const hook of run.deps.hooks) hook.answered?.(run, { headers, isRefused })
}

/** Sends the last bytes. What could not be recorded gets its refusal instead, which is returned if nothing was sent yet. */
function sendLast(ending: Ending, { entry: { refusal } }: Run): RequestAborted | null {
  if (refusal === null) ending.send()
  else if (ending.fail) ending.fail(refusal.body, refusal.status)
  else return refusal
  return null
}
