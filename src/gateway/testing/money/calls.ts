// Makes the calls of the money model, checks their answers, and records their charges in the model.
import { ErrorEnvelope } from '../../../shared/errors.ts'
import { formatUsdHeader, usdToNano } from '../../../shared/money.ts'
import type { RequestRecord } from '../../../shared/requests.ts'
import type { Answer } from '../gateway.ts'
import { type CostBounds, costBounds, IMPLAUSIBLE, type Part, SLOW } from './behaviors.ts'
import { chargeRows, checkStored } from './invariants.ts'
import { type KeyModel, type LedgerModel, must } from './ledger-model.ts'
import { isLimited, LATER } from './limit-model.ts'
import type { World } from './world.ts'

export interface CallPlan extends Part {
  /** Index among the usable keys, modulo their number. */
  key: number
  stream: boolean
  /** Above 1, a model whose provider has no `n` is called. */
  choices: number
  /** The session that the client names; null for one of its own. */
  session: string | null
  /** That the client names. */
  project: string | null
}

export interface PreparedCall {
  tag: string
  key: KeyModel
  plan: CallPlan
  session: string
  /** The one that it must be charged to. */
  project: string | null
  body: string
  headers: Record<string, string>
}

function modelOf({ choices, behavior }: CallPlan): string {
  if (choices > 1) return 'single'
  if (behavior === 'stalled-once') return 'stalling'
  return IMPLAUSIBLE.includes(behavior) ? 'implausible' : 'plausible'
}

export function prepareCall(model: LedgerModel, plan: CallPlan): PreparedCall | null {
  const { usable } = model
  const key = usable[plan.key % usable.length]
  if (!key) return null
  const tag = model.nextTag()
  const body = JSON.stringify({
    model: modelOf(plan),
    messages: [{ role: 'user', content: tag.padEnd(plan.promptTokens * 4, ' filler text') }],
    ...(plan.choices > 1 ? { n: plan.choices } : {}),
    ...(plan.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  })
  const session = plan.session ?? `own-${tag}`
  const headers = {
    'user-agent': tag,
    'x-tollgate-session': session,
    ...(plan.project === null ? {} : { 'x-tollgate-tag': plan.project }),
  }
  return { tag, key, plan, session, project: key.project ?? plan.project, body, headers }
}

export function send(
  world: World,
  { key, body, headers }: PreparedCall,
  signal?: AbortSignal,
): Promise<Answer> {
  world.steps += 1
  const options = { as: key.secret, body, headers, ...(signal ? { signal } : {}) }
  return world.gateway.call('POST', '/v1/chat/completions', options)
}

/** The `error` of an error response, or of the chunk that ended a stream early. */
export function errorOf({ status, text, json }: Answer): ErrorEnvelope['error'] | null {
  if (status !== 200) return ErrorEnvelope.parse(json).error
  const last = text.trimEnd().split('\n\n').at(-1)?.slice('data: '.length) ?? ''
  if (!text.startsWith('data: ') || last === '[DONE]') return null
  return ErrorEnvelope.parse(JSON.parse(last)).error
}

/** The code of the error that a call gets because of a pause. */
export function pauseOf(model: LedgerModel, { key }: PreparedCall): 'paused' | 'key_paused' | null {
  if (model.paused) return 'paused'
  return key.paused ? 'key_paused' : null
}

/** Which limits apply to a call, and which are reached. `listedReached`: one of the key's list; `sharedReached`: of the account's. */
export function capsOf(model: LedgerModel, world: World, { key, plan, session, project }: PreparedCall) {
  const now = new Date(world.now())
  // In the machine's time zone; the gateway's own months are compared in `checkLedger`.
  const month = model.spentBetween(
    new Date(now.getFullYear(), now.getMonth(), 1).getTime(),
    new Date(now.getFullYear(), now.getMonth() + 1, 1).getTime() + LATER,
  )
  const keyReached = key.limit !== null && key.spent >= key.limit
  const monthReached = model.monthlyLimit !== null && month >= model.monthlyLimit
  const limits = key.limits.filter((limit) => isLimited(limit, modelOf(plan)))
  const listedReached = limits.some(
    (limit) => model.spentUnder(key, limit, world.now(), session) >= limit.limit,
  )
  const shared = model.accountLimits.filter(
    (limit) => isLimited(limit, modelOf(plan)) && (limit.project ?? project) === project,
  )
  const sharedReached = shared.some(
    (limit) => model.spentByAll(limit, world.now(), { keyId: key.id, session }) >= limit.limit,
  )
  const capped = key.limit !== null || model.monthlyLimit !== null || limits.length > 0 || shared.length > 0
  return { keyReached, monthReached, listedReached, sharedReached, capped }
}

const CAP_CODES = ['spend_limit_reached', 'account_limit_reached', 'spend_reserved', 'spend_held']

export function isCapError(answer: Answer): boolean {
  const code = errorOf(answer)?.code ?? ''
  return CAP_CODES.includes(code)
}

export function rowsOf(world: World, tag: string): RequestRecord[] {
  return world.settled.filter(({ client }) => client === tag)
}

function boundsOf({ plan, body }: PreparedCall): CostBounds {
  const { low, high } = costBounds(plan, plan.stream, Buffer.byteLength(body))
  return { low: low * plan.choices, high: high * plan.choices }
}

/** The bounds for a call that was aborted before its provider reported usage. */
export function estimateOf({ plan, body }: PreparedCall): CostBounds {
  const { high } = costBounds({ ...plan, behavior: 'missing-usage' }, plan.stream, Buffer.byteLength(body))
  return { low: 0, high: high * plan.choices }
}

/** Checks the answer of a finished call and records its charge. `mayBeCut`: a cap may have ended it. */
export async function recordCharge(
  model: LedgerModel,
  world: World,
  call: PreparedCall,
  answer: Answer,
  mayBeCut: boolean,
): Promise<void> {
  const { tag, plan } = call
  const error = errorOf(answer)
  must(answer.headers.has('x-service-request-id'), `${tag}: no request id`)
  must(answer.status !== 500, `${tag}: internal error: ${answer.text}`)
  const rows = rowsOf(world, tag)
  must(rows.length <= 1, `${tag}: settled ${rows.length} times`)
  const paused = pauseOf(model, call)
  if (paused !== null) {
    must(
      answer.status === 403 && error?.code === paused,
      `${tag}: ${answer.status} ${error?.code}, not ${paused}`,
    )
    must(world.provider.requests(tag) === 0 && rows.length === 0, `${tag}: paused, but sent or settled`)
    return
  }
  const [row] = rows
  if (isCapError(answer)) {
    must(mayBeCut, `${tag}: ${answer.status} ${error?.code}, though the cap was not reached`)
    if (answer.status !== 200) must(world.provider.requests(tag) === 0, `${tag}: refused, but sent upstream`)
    if (row) chargeRows(model, call, [row], estimateOf(call))
    return
  }
  must(row !== undefined, `${tag}: no row was settled for ${answer.status}: ${answer.text.slice(0, 300)}`)
  must(row.id === answer.headers.get('x-service-request-id'), `${tag}: the row belongs to another request`)
  await checkStored(world, row)
  // Under a limit, a call that may have been billed is sent again only as long as that fits.
  if (error !== null && SLOW.includes(plan.behavior) && capsOf(model, world, call).capped)
    return chargeRows(model, call, [row], estimateOf(call))
  const succeeds = !['always-failed', 'refused', 'error-inside', 'truncated'].includes(plan.behavior)
  must(
    (error === null) === succeeds,
    `${tag}: ${plan.behavior} was answered ${answer.status} ${error?.message}`,
  )
  if (succeeds) checkReportedCost(tag, answer, row)
  chargeRows(model, call, [row], boundsOf(call))
}

function checkReportedCost(tag: string, { headers, text, json }: Answer, row: RequestRecord): void {
  const charged = usdToNano(row.costUsd ?? -1)
  const header = headers.get('x-service-cost-usd')
  must(
    header === null || header === formatUsdHeader(charged),
    `${tag}: reported ${header}, charged ${charged} n$`,
  )
  const reported = json === null ? /"cost":([\d.e-]+)/.exec(text)?.[1] : json.usage?.cost
  must(usdToNano(Number(reported)) === charged, `${tag}: reported $${reported}, charged ${charged} n$`)
}
