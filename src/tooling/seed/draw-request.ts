import { type Charge, FREE } from '../../gateway/request/charge.ts'
import { maxCost } from '../../gateway/request/quote.ts'
import { TokenMeter } from '../../gateway/request/token-meter.ts'
import { planById } from '../../gateway/spend/account.ts'
import type { NewRequest, RefusedRequest, Settlement } from '../../gateway/store/store.ts'
import type { Random } from '../../gateway/testing/random.ts'
import type { UsageBuckets } from '../../shared/api/requests.ts'
import { REQUEST_NEEDS } from '../../shared/api/terms.ts'
import { NO_USAGE } from '../../shared/api/usage-buckets.ts'
import { ZERO_USD } from '../../shared/money/money.ts'
import type { SeedModel } from './models.ts'
import { type AnsweredEnding, ENDINGS } from './outcomes.ts'
import type { Context } from './run-steps.ts'

const RECORDED_MS = 45 * 24 * 3_600_000
const PLAN = planById('pay-as-you-go', {})
/** Tokens; what an answer that never came is assumed to have had. */
const LIKELY_OUTPUT = 1_000

/** A request that is over. */
export type FinishedRequest = { refused: RefusedRequest } | { opened: NewRequest; settled: Settlement }

export interface Arrival {
  createdAt: number
  keyId: string
  client: string | null
  /** No request is settled after this moment. */
  now: number
}

/** `context`: what a step of an agent sends; null for what is usual for the model. */
export function drawRequest(
  random: Random,
  { now, ...arrival }: Arrival,
  model: SeedModel,
  context: Context | null,
): FinishedRequest {
  const ending = random.pick(ENDINGS)
  const { offer } = model
  const row = {
    ...arrival,
    id: `req_${arrival.createdAt.toString(16).padStart(12, '0')}${random.hex(20)}`,
    requestedModel: offer.id,
    stream: random.chance(0.62),
  }
  const queueMs = toTenths(random.logNormal(0.6, 0.7))
  if (ending.status === 'refused') {
    const { httpStatus, error } = ending
    return { refused: { ...row, httpStatus, error, totalMs: toTenths(queueMs + random.next()) } }
  }
  const prompt = context?.prompt ?? Math.round(random.logNormal(model.prompt, 1.1)) + 1
  const bound = { calls: 1, prompt: prompt * 4, external: false, output: 4_096 }
  const reservedNano = maxCost({ offer, bound }, bound.output, PLAN.discountPercent)
  const meter = new TokenMeter(prompt, PLAN, () => Promise.resolve(prompt))
  const charge = (): Charge => {
    if (ending.costStatus === 'free') return FREE
    const usage = createUsageReport(
      context ? getUsage(context, model, ending) : drawUsage(random, model, prompt, ending),
    )
    if (ending.costStatus === 'unsettled')
      return meter.unsettledCharge({ offer, bound }, usage, { likely: LIKELY_OUTPUT, max: reservedNano })
    meter.recordUsage(usage)
    return meter.computeCharge({ offer, bound }, ending.costStatus === 'estimated')
  }
  const charged = charge()
  const times = drawTimes(random, model, ending, charged.tokensOut)
  const totalMs = toTenths(queueMs + times.totalMs)
  const { status, httpStatus, error } = ending
  return {
    opened: {
      ...row,
      needs: getNeeds(row, now),
      tokensIn: prompt,
      queueMs,
      reservedNano: offer.price ? reservedNano : ZERO_USD,
      estimateNano: meter.estimate({ offer, bound }, LIKELY_OUTPUT),
    },
    settled: {
      id: row.id,
      status,
      httpStatus,
      error,
      finishReason: status === 'succeeded' ? 'stop' : null,
      model: offer.id,
      provider: offer.providerId,
      ...charged,
      savedNano: null,
      ...times,
      queueMs,
      totalMs,
      settledAt: Math.min(now, row.createdAt + Math.round(totalMs)),
    },
  }
}

/** The needs of requests are recorded since some weeks. Drawn from the id, so that all else stays unchanged. */
function getNeeds(
  { id, client, createdAt }: Pick<Arrival, 'client' | 'createdAt'> & { id: string },
  now: number,
) {
  if (createdAt < now - RECORDED_MS) return null
  const digit = Number.parseInt(id.slice(-1), 16)
  if (client?.startsWith('claude-cli') || client?.startsWith('codex'))
    return digit < 15 ? REQUEST_NEEDS.tools : 0
  if (digit < 2) return REQUEST_NEEDS.vision
  return digit < 5 ? REQUEST_NEEDS.json : 0
}

function drawUsage(random: Random, model: SeedModel, prompt: number, ending: AnsweredEnding): UsageBuckets {
  const cached = ending.answered > 0 && random.chance(0.35) ? Math.floor(prompt * random.next()) : 0
  const written = cached > 0 && model.offer.providerId === 'anthropic' ? Math.floor((prompt - cached) / 2) : 0
  const output = Math.round(random.logNormal(model.answer, 0.9) * ending.answered)
  return {
    ...NO_USAGE,
    input: prompt - cached - written,
    cacheRead: cached,
    cacheWrite5m: written,
    output,
    reasoning: random.chance(0.3) ? Math.floor(output / 3) : 0,
  }
}

function getUsage(
  { prompt, cached, output }: Context,
  model: SeedModel,
  { answered }: AnsweredEnding,
): UsageBuckets {
  const cacheRead = answered > 0 ? cached : 0
  const rest = prompt - cacheRead
  // Anthropic's agents mark everything but the last words to be cached.
  const written = model.offer.providerId === 'anthropic' && cacheRead > 0 ? Math.max(0, rest - 4) : 0
  return {
    ...NO_USAGE,
    input: rest - written,
    cacheRead,
    cacheWrite5m: written,
    output: Math.round(output * answered),
  }
}

function createUsageReport(buckets: UsageBuckets) {
  return {
    buckets,
    costUsd: null,
    asChatUsage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  }
}

function drawTimes(random: Random, { offer }: SeedModel, ending: AnsweredEnding, tokensOut: number) {
  const attempts = ending.attempts.map(({ status, error }) => {
    const ms = toTenths(status === null ? 60_000 : random.logNormal(error ? 240 : 620, 0.6))
    return { provider: offer.providerId, model: offer.id, status, ms, error }
  })
  const attemptsMs = attempts.reduce((sum, { ms }) => sum + ms, 0)
  return {
    attempts,
    firstByteMs: ending.answered > 0 ? toTenths(attemptsMs) : null,
    totalMs: attemptsMs + tokensOut * random.logNormal(9, 0.4),
  }
}

function toTenths(ms: number): number {
  return Math.round(ms * 10) / 10
}
