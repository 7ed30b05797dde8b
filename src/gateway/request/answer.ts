import type { ChatUsage } from '../../shared/chat-completion.ts'
import { codecFor } from '../formats/codecs.ts'
import type { PlainAnswer } from '../formats/events.ts'
import { answerContext } from './answer-writer.ts'
import type { Admitted, InferenceCall, InferenceDeps } from './call.ts'
import { addCharges, type Charge, withCost } from './charge.ts'
import type { Answered } from './dispatch.ts'
import { chargeAnsweredChoices, heldAfter, NO_CHARGE } from './failed-charge.ts'
import type { Observed } from './forecast.ts'
import type { Entry } from './ledger.ts'
import type { Candidate } from './prepare.ts'
import { forecastName, priceFactor } from './reservation-amounts.ts'
import { costHeaders, type Ending, JSON_TYPE, outputLimitHeader, sampleHeader } from './settle.ts'
import { maxCost } from './worst-case.ts'

export async function endPlain(
  admitted: Admitted,
  result: Answered<Candidate> & { answer: PlainAnswer },
  deps: InferenceDeps,
): Promise<Ending> {
  const { meter, call, entry, rate, discountPercent } = admitted
  const { answer, route: candidate, failed } = result
  const { offer, bound } = candidate
  meter.recordCompletion(answer.completion)
  if (answer.usage) meter.recordUsage(answer.usage)
  if (!meter.isReported) await meter.prepare()
  const own = meter.chargeOf(candidate)
  const before = failed.length === 0 ? NO_CHARGE : await chargeAnsweredChoices(meter, failed)
  const charge = addCharges(own, before.charge)
  const usage = withCost(meter.chatUsage(candidate, own), charge.costNano)
  const created = Math.floor(deps.clock.now() / 1000)
  const body = answer.raw?.bytes ?? formatAnswer({ call, created }, candidate, answer, usage)
  const headers = {
    ...(answer.raw ? { 'content-type': answer.raw.mediaType } : JSON_TYPE),
    ...rate.headers,
    'x-service-model': offer.id,
    ...outputLimitHeader(candidate),
    ...sampleHeader(candidate),
    ...costHeaders(charge),
  }
  const baseNano = maxCost(candidate, bound.output, discountPercent) * priceFactor(candidate)
  return {
    outcome: {
      ...describeAnswered(result, candidate),
      charge,
      heldNano: heldAfter(admitted, { candidate, charge, failed }, deps.forecast),
      status: 'succeeded',
      httpStatus: 200,
      error: null,
      response: { status: 200, headers, body },
    },
    observed: observe(entry, candidate, own, baseNano),
    send: () => call.stream.send(200, headers, body),
  }
}

/** The body for the client: the provider's own with the cost in it, or one in the client's format. */
function formatAnswer(
  { call, created }: { call: InferenceCall; created: number },
  candidate: Candidate,
  { completion, native }: PlainAnswer,
  usage: ChatUsage,
): string {
  if (native === undefined) {
    const context = answerContext(call, candidate, created)
    return JSON.stringify(call.codec.answerBody(completion, usage, context))
  }
  call.codec.observeNative?.(native)
  const { native: codec } = codecFor(candidate.target)
  return usage.cost === undefined ? native : (codec?.addCost?.(native, usage.cost) ?? native)
}

/** What is settled of a request that a candidate has begun to answer. */
export function describeAnswered(
  { attempts, firstByteMs }: Pick<Answered<Candidate>, 'attempts' | 'firstByteMs'>,
  { offer }: Candidate,
) {
  return { model: offer.id, provider: offer.providerId, attempts, firstByteMs, reached: true }
}

/** What the forecast can learn from the charge: nothing from one that is not exact. */
export function observe(
  { request }: Entry,
  { offer }: Candidate,
  { costStatus, costNano, tokensOut }: Charge,
  baseNano: number,
): Observed | null {
  if (costStatus !== 'exact' || costNano === null) return null
  return { keyId: request.keyId, model: forecastName(offer), tokensOut, costNano, baseNano }
}
