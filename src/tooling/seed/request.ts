// Owns how one seeded request comes about: its tokens, cost, tries and times. Knows nothing of keys or tables.

import { costOf } from '../../gateway/billing/cost.ts'
import { NO_USAGE } from '../../gateway/formats/token-usage.ts'
import { type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money.ts'
import type { Attempt, CostStatus, UsageBuckets } from '../../shared/requests.ts'
import type { SeedModel } from './models.ts'
import { ENDINGS, type Ending } from './outcomes.ts'
import type { Chance } from './random.ts'

export interface SeedRequest {
  id: string
  createdAt: number
  model: SeedModel
  stream: boolean
  ending: Ending
  usage: UsageBuckets | null
  tokensIn: number
  tokensOut: number
  costNano: NanoUsd | null
  costStatus: CostStatus
  costLowNano: NanoUsd | null
  costHighNano: NanoUsd | null
  reservedNano: NanoUsd
  estimateNano: NanoUsd | null
  attempts: Attempt[]
  queueMs: number
  firstByteMs: number | null
  totalMs: number
}

export function drawRequest(chance: Chance, createdAt: number, model: SeedModel): SeedRequest {
  const ending = chance.pick(ENDINGS)
  const asked = Math.round(chance.around(model.prompt, 1.1)) + 1
  const usage = usageOf(chance, model, asked, ending)
  const estimateNano = model.rates && costOf({ ...NO_USAGE, input: asked }, model.rates, 0)
  const worst = model.rates && costOf({ ...NO_USAGE, input: asked * 4, output: 4_096 }, model.rates, 0)
  const refused = ending.status === 'refused'
  return {
    id: `req_${chance.hex(32)}`,
    createdAt,
    model,
    stream: chance.happens(0.62),
    ending,
    usage,
    tokensIn: usage ? usage.input + usage.cacheRead + usage.cacheWrite5m : 0,
    tokensOut: usage?.output ?? 0,
    ...charged(model, ending, usage, worst),
    reservedNano: refused || !worst ? ZERO_USD : worst,
    estimateNano: refused ? null : estimateNano,
    ...timed(chance, model, ending, usage),
  }
}

/** What came before the charge is known: nothing was consumed by a request that is free. */
function usageOf(chance: Chance, model: SeedModel, asked: number, ending: Ending): UsageBuckets | null {
  if (ending.costStatus === 'free') return null
  const cached = ending.answered > 0 && chance.happens(0.35) ? Math.floor(asked * chance.next()) : 0
  const written = cached > 0 && model.provider === 'anthropic' ? Math.floor((asked - cached) / 2) : 0
  const output = Math.round(chance.around(model.answer, 0.9) * ending.answered)
  return {
    ...NO_USAGE,
    input: asked - cached - written,
    cacheRead: cached,
    cacheWrite5m: written,
    output,
    reasoning: chance.happens(0.3) ? Math.floor(output / 3) : 0,
  }
}

function charged(model: SeedModel, ending: Ending, usage: UsageBuckets | null, worst: NanoUsd | null) {
  const none = { costLowNano: null, costHighNano: null }
  if (!usage) return { ...none, costNano: ZERO_USD, costStatus: 'free' } as const
  if (!model.rates) return { ...none, costNano: null, costStatus: 'unknown' } as const
  const costNano = costOf(usage, model.rates, 0)
  if (ending.costStatus !== 'unsettled') return { ...none, costNano, costStatus: ending.costStatus }
  const costHighNano = nanoUsd(Math.max(worst ?? 0, costNano))
  return { costNano, costStatus: ending.costStatus, costLowNano: ZERO_USD, costHighNano }
}

function timed(chance: Chance, model: SeedModel, ending: Ending, usage: UsageBuckets | null) {
  const queueMs = tenths(chance.around(0.6, 0.7))
  if (ending.status === 'refused') {
    return { attempts: [], queueMs, firstByteMs: null, totalMs: tenths(queueMs + chance.next()) }
  }
  const attempts = ending.tries.map(({ status, error }) => {
    const ms = tenths(status === null ? 60_000 : chance.around(error ? 240 : 620, 0.6))
    return { provider: model.provider, model: model.id, status, ms, error }
  })
  const tried = attempts.reduce((sum, { ms }) => sum + ms, 0)
  const writing = (usage?.output ?? 0) * chance.around(9, 0.4)
  return {
    attempts,
    queueMs,
    firstByteMs: ending.answered > 0 ? tenths(tried) : null,
    totalMs: tenths(queueMs + tried + writing),
  }
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10
}
