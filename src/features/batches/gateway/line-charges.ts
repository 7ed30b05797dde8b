// What a line of a batch has cost, by its result.
import { UpstreamFailure } from '../../../gateway/formats/chat/failure.ts'
import { type ReportedUsage, tokensIn, tokensOut } from '../../../gateway/formats/chat/usage.ts'
import { getCodec } from '../../../gateway/formats/codecs.ts'
import {
  asObject,
  isObject,
  type JsonObject,
  stringOr,
  wholeNumber,
} from '../../../gateway/formats/json/json.ts'
import { readInputTokens } from '../../../gateway/formats/pass-through/body.ts'
import type { Offer } from '../../../gateway/models/catalog/offers.ts'
import { callerText, newRequestId } from '../../../gateway/platform/ids.ts'
import { getOrCreate } from '../../../gateway/platform/maps.ts'
import { type Charge, FREE, priceUsage } from '../../../gateway/request/charge.ts'
import { TokenMeter } from '../../../gateway/request/token-meter.ts'
import type { ApiFormat } from '../../../shared/api/providers.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import type { FinishReason } from '../../../shared/formats/chat-completion.ts'
import { nanoUsd, ZERO_USD } from '../../../shared/money/money.ts'
import { toBatchOffer, toBound } from './batch-price.ts'
import type { BatchDetails, BatchLine, BatchModel, LineEnd, StoredBatch } from './batch-rows.ts'

/** The result of a line, in either API. */
export interface LineResult {
  customId: string
  /** The answer of the model; null for a line without one. */
  answer: JsonObject | null
  /** Of a line without an answer. */
  status: number | null
  code: string | null
  /** Whether it was canceled, or not done in time. */
  isUndone: boolean
}

/** OpenAI's: `{custom_id, response: {status_code, body}, error}`. Null for what is none. */
export function readFileResult(json: unknown): LineResult | null {
  if (!isObject(json) || typeof json.custom_id !== 'string') return null
  const { status_code: status, body } = asObject(json.response)
  const isAnswer = status === 200 && isObject(body)
  const { code, type } = asObject(isObject(json.error) ? json.error : asObject(body).error)
  const name = stringOr(code, stringOr(type, null))
  return {
    customId: json.custom_id,
    answer: isAnswer ? body : null,
    status: wholeNumber(status),
    code: isAnswer ? null : name,
    isUndone: name === 'batch_expired' || name === 'batch_cancelled',
  }
}

/** Anthropic's: `{custom_id, result: {type, message, error}}`. Null for what is none. */
export function readMessageResult(json: unknown): LineResult | null {
  if (!isObject(json) || typeof json.custom_id !== 'string' || !isObject(json.result)) return null
  const { type, message, error } = json.result
  const isAnswer = type === 'succeeded' && isObject(message)
  const inner = asObject(asObject(error).error)
  return {
    customId: json.custom_id,
    answer: isAnswer ? message : null,
    status: isAnswer ? 200 : null,
    code: isAnswer ? null : stringOr(inner.type, stringOr(type, null)),
    isUndone: type === 'canceled' || type === 'expired',
  }
}

interface Context {
  batch: StoredBatch
  /** Epoch milliseconds. */
  now: number
}

/** How the line ended, with its charge. */
export function endLine(line: BatchLine, result: LineResult, context: Context): LineEnd {
  const { answer, status, code, isUndone } = result
  if (answer === null) {
    const what = isUndone ? 'The line was not done' : 'The line failed at the provider'
    const message = `${what}${code === null ? '' : ` (${callerText(code, 100)})`}.`
    return createEnd(line, context, {
      charge: FREE,
      status: isUndone ? 'canceled' : 'failed',
      httpStatus: status,
      error: { type: 'upstream_error', message },
    })
  }
  const { charge, finishReason } = chargeAnswer(line, answer, context.batch.details)
  return createEnd(line, context, { charge, status: 'succeeded', httpStatus: 200, finishReason })
}

/** The end of a line that the provider has done, and of which it has no result: it may cost nothing, or all that is reserved. */
export function endLostLine(line: BatchLine, context: Context): LineEnd {
  const charge = chargeBound(line, context.batch.details, 'unsettled')
  const bounds = { costLowNano: ZERO_USD, costHighNano: charge.costNano }
  const message = 'The provider has no result of this line, so what it cost is not known.'
  return createEnd(line, context, {
    charge: charge.costNano === null ? charge : { ...charge, ...bounds },
    status: 'failed',
    httpStatus: null,
    error: { type: 'upstream_error', message, code: 'outcome_unknown' },
  })
}

function createEnd(
  line: BatchLine,
  { batch, now }: Context,
  {
    charge,
    finishReason = null,
    error = null,
    ...end
  }: Pick<LineEnd['settlement'], 'status' | 'httpStatus'> & {
    charge: Charge
    finishReason?: FinishReason | null
    error?: LineEnd['settlement']['error']
  },
): LineEnd {
  const { details, id, keyId, createdAt, provider } = batch
  const { client, tag, session, models } = details
  const model = models[line.facts.model]?.id ?? ''
  const requestId = newRequestId()
  return {
    customId: line.customId,
    request: {
      id: requestId,
      createdAt,
      keyId,
      requestedModel: line.facts.asked ?? model,
      stream: false,
      client,
      tag,
      endpoint: `POST ${details.endpoint.startsWith('/v1/') ? '' : '/v1'}${details.endpoint}`,
      sessionId: session.id,
      session,
      agentId: id,
      agentParent: null,
      agentType: 'batch',
      agentRole: 'subagent' as const,
      features: { ...line.facts.features, batch: [id, line.customId, line.line] },
      tokensIn: charge.tokensIn,
      reservedNano: nanoUsd(line.mostNano),
      estimateNano: null,
    },
    settlement: {
      id: requestId,
      ...end,
      ...charge,
      error,
      finishReason,
      model,
      provider,
      savedNano: null,
      attempts: [],
      queueMs: null,
      firstByteMs: null,
      totalMs: null,
      settledAt: now,
    },
  }
}

/** The API format of the answers to a path; null for one whose answers have only tokens that were read. */
function findFormat(endpoint: string): ApiFormat | null {
  if (endpoint.endsWith('/messages')) return 'anthropic-messages'
  if (endpoint.endsWith('/responses')) return 'openai-responses'
  return endpoint.endsWith('/completions') ? 'openai-chat' : null
}

function chargeAnswer(
  line: BatchLine,
  answer: JsonObject,
  details: BatchDetails,
): { charge: Charge; finishReason: FinishReason | null } {
  const { model, offer, priced } = getPriced(line, details)
  const meter = new TokenMeter(0, details.plan, async () => 0)
  const format = findFormat(details.endpoint)
  let report: ReportedUsage | null
  if (format === null) {
    report = readTokensIn(answer)
  } else {
    const target = { quirks: {}, upstreamModel: model.upstreamModel, signatures: NO_SIGNATURES }
    const read = getCodec(format).plainAnswer(answer, target, { id: '', created: 0, model: offer.id })
    if (!(read instanceof UpstreamFailure)) meter.recordCompletion(read.completion)
    report = read.usage
  }
  // A provider that reports no prompt does not count tokens.
  const isCounted = report !== null && tokensIn(report.buckets) > 0
  const isEmpty = report !== null && format !== null && tokensOut(report.buckets) === 0 && meter.hasOutput
  if (!report || !isCounted || isEmpty)
    return { charge: chargeBound(line, details, 'estimated'), finishReason: meter.finishReason }
  meter.recordUsage({ ...report, ...nameTier(report) })
  return { charge: meter.computeCharge(priced), finishReason: meter.finishReason }
}

/** Nothing is signed in an answer that only its client reads. */
const NO_SIGNATURES = { recall: () => null, remember: () => undefined }

function readTokensIn({ usage }: JsonObject): ReportedUsage | null {
  const input = readInputTokens(asObject(usage))
  if (input === null) return null
  return {
    buckets: { ...NO_USAGE, input },
    costUsd: null,
    asChatUsage: { prompt_tokens: input, completion_tokens: 0, total_tokens: input },
  }
}

/** The tier of a batch, unless the answer names another one: "us and batch" has the price of "us". */
function nameTier({ otherTier = '' }: ReportedUsage): { otherTier: string } {
  const others = otherTier.split(' and ').filter((tier) => tier !== '' && tier !== 'batch')
  return { otherTier: others.length === 0 ? 'batch' : others.join(' and ') }
}

/** All that is reserved for the line. */
function chargeBound(line: BatchLine, details: BatchDetails, costStatus: 'estimated' | 'unsettled'): Charge {
  const { offer } = getPriced(line, details)
  const { prompt, output, units } = line.facts
  const usage = { ...NO_USAGE, input: prompt, output, ...units }
  const charge = priceUsage({ price: offer.price, calls: [usage], costStatus, tier: 'batch' }, details.plan)
  return charge.costNano === null ? charge : { ...charge, costNano: nanoUsd(line.mostNano) }
}

/** Offers are made once for all lines of a batch. */
const offers = new WeakMap<BatchModel, Offer>()

function getPriced(line: BatchLine, { models }: BatchDetails) {
  const model = models[line.facts.model]
  if (!model) throw new Error('a line of a batch has no model')
  const offer = getOrCreate(offers, model, () => toBatchOffer(model))
  return { model, offer, priced: { offer, bound: toBound(line.facts) } }
}
