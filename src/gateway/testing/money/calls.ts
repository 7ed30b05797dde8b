// Makes the calls of the money model, checks their answers, and records their charges in the model.
import { ErrorEnvelope } from '../../../shared/errors.ts'
import { formatUsdHeader, usdToNano } from '../../../shared/money.ts'
import type { RequestRecord } from '../../../shared/requests.ts'
import type { Answer } from '../gateway.ts'
import { type CostBounds, costBounds, LIES, type Part } from './behaviours.ts'
import { checkKept, take } from './invariants.ts'
import { type KeyModel, type LedgerModel, must } from './ledger-model.ts'
import type { World } from './world.ts'

export interface CallPlan extends Part {
  /** Which of the usable keys, counted round. */
  key: number
  stream: boolean
  /** Choices; above 1, of a provider that has no `n`. */
  choices: number
}

export interface Made {
  tag: string
  key: KeyModel
  plan: CallPlan
  body: string
  headers: Record<string, string>
}

export function make(model: LedgerModel, plan: CallPlan): Made | null {
  const { usable } = model
  const key = usable[plan.key % usable.length]
  if (!key) return null
  const tag = model.nextTag()
  const body = JSON.stringify({
    model: plan.choices > 1 ? 'single' : LIES.includes(plan.behaviour) ? 'liar' : 'honest',
    messages: [{ role: 'user', content: tag.padEnd(plan.promptTokens * 4, ' and so on') }],
    ...(plan.choices > 1 ? { n: plan.choices } : {}),
    ...(plan.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  })
  return { tag, key, plan, body, headers: { 'user-agent': tag } }
}

export function send(world: World, { key, body, headers }: Made, signal?: AbortSignal): Promise<Answer> {
  world.steps += 1
  const options = { as: key.secret, body, headers, ...(signal ? { signal } : {}) }
  return world.gateway.call('POST', '/v1/chat/completions', options)
}

/** The `error` of an answer that is one, or of the chunk that broke a stream off. */
export function errorOf({ status, text, json }: Answer): ErrorEnvelope['error'] | null {
  if (status !== 200) return ErrorEnvelope.parse(json).error
  const last = text.trimEnd().split('\n\n').at(-1)?.slice('data: '.length) ?? ''
  if (!text.startsWith('data: ') || last === '[DONE]') return null
  return ErrorEnvelope.parse(JSON.parse(last)).error
}

/** Why a cap may turn a call away, or break it off: what is spent, what runs beside it, and what it may cost itself. */
export function capsOf(model: LedgerModel, world: World, key: KeyModel) {
  const now = new Date(world.now())
  // The month is the machine's own; the tests' spans are read from the gateway and compared apart.
  const month = model.spentBetween(
    new Date(now.getFullYear(), now.getMonth(), 1).getTime(),
    new Date(now.getFullYear(), now.getMonth() + 1, 1).getTime(),
  )
  const keyReached = key.limit !== null && key.spent >= key.limit
  const monthReached = model.monthlyLimit !== null && month >= model.monthlyLimit
  return { keyReached, monthReached, capped: key.limit !== null || model.monthlyLimit !== null }
}

const CAP_CODES = ['spend_limit_reached', 'account_limit_reached', 'spend_reserved']

export function byCap(answer: Answer): boolean {
  const code = errorOf(answer)?.code ?? ''
  return CAP_CODES.includes(code)
}

export function rowsOf(world: World, tag: string): RequestRecord[] {
  return world.settled.filter(({ client }) => client === tag)
}

function boundsOf({ plan, body }: Made): CostBounds {
  const { low, high } = costBounds(plan, plan.stream, Buffer.byteLength(body))
  return { low: low * plan.choices, high: high * plan.choices }
}

/** What a call may come to that was broken off before its provider could report. */
export function estimateOf({ plan, body }: Made): CostBounds {
  const { high } = costBounds({ ...plan, behaviour: 'missing-usage' }, plan.stream, Buffer.byteLength(body))
  return { low: 0, high: high * plan.choices }
}

/** Checks the answer of a finished call and records its charge. `mayBeCut`: a cap may have ended it. */
export async function book(
  model: LedgerModel,
  world: World,
  made: Made,
  answer: Answer,
  mayBeCut: boolean,
): Promise<void> {
  const { tag, plan } = made
  const error = errorOf(answer)
  must(answer.headers.has('x-service-request-id'), `${tag}: no request id`)
  must(answer.status !== 500, `${tag}: a 500 of our own: ${answer.text}`)
  const rows = rowsOf(world, tag)
  must(rows.length <= 1, `${tag}: settled ${rows.length} times`)
  const [row] = rows
  if (byCap(answer)) {
    must(mayBeCut, `${tag}: ${answer.status} ${error?.code}, though there was room`)
    if (answer.status !== 200) must(world.provider.requests(tag) === 0, `${tag}: refused, and sent upstream`)
    if (row) take(model, [row], estimateOf(made))
    return
  }
  must(row !== undefined, `${tag}: no row was settled for ${answer.status}: ${answer.text.slice(0, 300)}`)
  must(row.id === answer.headers.get('x-service-request-id'), `${tag}: the row is of another request`)
  await checkKept(world, row)
  const succeeds = !['failed-for-good', 'refused', 'error-inside', 'truncated'].includes(plan.behaviour)
  must(
    (error === null) === succeeds,
    `${tag}: ${plan.behaviour} was answered ${answer.status} ${error?.message}`,
  )
  if (succeeds) checkTold(tag, answer, row)
  take(model, [row], boundsOf(made))
}

function checkTold(tag: string, { headers, text, json }: Answer, row: RequestRecord): void {
  const booked = usdToNano(row.costUsd ?? -1)
  const header = headers.get('x-service-cost-usd')
  must(header === null || header === formatUsdHeader(booked), `${tag}: told ${header}, booked ${booked} n$`)
  const told = json === null ? /"cost":([\d.e-]+)/.exec(text)?.[1] : json.usage?.cost
  must(usdToNano(Number(told)) === booked, `${tag}: told $${told}, booked ${booked} n$`)
}
