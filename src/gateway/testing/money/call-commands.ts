// The commands that make calls: single, concurrent, with an Idempotency-Key, and without a provider.
import { usdToNano } from '../../../shared/money.ts'
import type { RequestRecord } from '../../../shared/requests.ts'
import {
  type CallPlan,
  capsOf,
  errorOf,
  isCapError,
  type PreparedCall,
  pauseOf,
  prepareCall,
  recordCharge,
  rowsOf,
  send,
} from './calls.ts'
import { PlannedCommand } from './command.ts'
import { chargeRows, checkLastSession } from './invariants.ts'
import { addKey } from './key-commands.ts'
import { type LedgerModel, must } from './ledger-model.ts'
import type { World } from './world.ts'

export class Call extends PlannedCommand<CallPlan> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    const call = prepareCall(model, this.plan)
    if (!call) return
    world.provider.set(call.tag, call.plan)
    const caps = capsOf(model, world, call)
    const answer = await send(world, call)
    const ofKey = caps.keyReached || caps.listedReached
    const ofAccount = caps.monthReached || caps.sharedReached
    const isReached = ofKey || ofAccount
    if (isReached && pauseOf(model, call) === null) {
      const codes = [ofKey && 'spend_limit_reached', ofAccount && 'account_limit_reached']
      const code = errorOf(answer)?.code ?? ''
      must(answer.status === 402, `${call.tag}: answered ${answer.status} at the cap`)
      must(codes.includes(code), `${call.tag}: ${code} instead of ${codes}`)
    }
    // Only a stream can be cut for lack of budget: a single call finds nothing reserved by others.
    const mayBeCut = isReached || (caps.capped && call.plan.stream)
    await recordCharge(model, world, call, answer, mayBeCut)
    if (answer.status === 200) await checkLastSession(model, world, call)
  }
}

/** Concurrent calls, on one key or several. */
export class Group extends PlannedCommand<{ calls: readonly CallPlan[] }> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    const all = this.plan.calls.map((plan) => prepareCall(model, plan)).filter((call) => call !== null)
    const before = new Map(model.keys.map((key) => [key, key.spent]))
    const limits = limitsOf(model, world, all).map((limit) => ({ ...limit, before: limit.spent() }))
    const caps = new Map(all.map((call) => [call, capsOf(model, world, call)]))
    const answers = await Promise.all(
      all.map((call) => {
        world.provider.set(call.tag, call.plan)
        return send(world, call)
      }),
    )
    await world.idle()
    for (const [at, call] of all.entries()) {
      const answer = answers[at]
      if (answer) await recordCharge(model, world, call, answer, caps.get(call)?.capped === true)
    }
    for (const [key, spentBefore] of before) {
      if (key.limit === null) continue
      const own = all.filter((call) => call.key === key)
      checkCap(key.limit, spentBefore, key.spent, own, world)
    }
    for (const { limit, before: spentBefore, spent, calls } of limits)
      checkCap(limit, spentBefore, spent(), calls, world)
  }
}

interface LimitOfCalls {
  limit: number
  /** Now. */
  spent: () => number
  /** Those under it. */
  calls: readonly PreparedCall[]
}

/** The listed limits over these calls: one per session for each of their sessions. */
function limitsOf(model: LedgerModel, world: World, all: readonly PreparedCall[]): LimitOfCalls[] {
  const sessions = Map.groupBy(all, ({ key, session }) => `${key.id} ${session}`)
  const bySession = [...sessions.values()]
  const ofKeys = Map.groupBy(all, ({ key }) => key)
  const own = [...ofKeys].flatMap(([key, calls]) =>
    key.limits.flatMap((limit): LimitOfCalls[] => {
      const groups = limit.per === 'session' ? bySession.filter((group) => group[0]?.key === key) : [calls]
      return groups.map((group) => ({
        limit: limit.limit,
        spent: () => model.spentUnder(key, limit, world.now(), group[0]?.session),
        calls: group,
      }))
    }),
  )
  const shared = model.accountLimits.flatMap((limit): LimitOfCalls[] => {
    const groups = limit.per === 'session' ? bySession : [all]
    return groups.map((group) => ({
      limit: limit.limit,
      spent: () => model.spentByAll(limit, world.now(), ofCall(group[0])),
      calls: group,
    }))
  })
  return [...own, ...shared]
}

const ofCall = (call: PreparedCall | undefined) => call && { keyId: call.key.id, session: call.session }

/** Spend exceeds a cap by at most one plain request, and by what each stream received ahead of its top-up. */
function checkCap(
  limit: number,
  before: number,
  after: number,
  calls: readonly PreparedCall[],
  world: World,
): void {
  if (after <= limit || after === before) return
  const costs = calls.flatMap(({ tag }) => rowsOf(world, tag)).map(({ costUsd }) => (costUsd ?? 0) * 1e9)
  const slack = Math.max(0, ...costs) * (1 + calls.filter(({ plan }) => plan.stream).length)
  must(
    after <= Math.max(limit, before) + slack,
    `spent ${after} n$ under a cap of ${limit} n$, ${before} n$ before`,
  )
}

/** Equal concurrent calls on a new key whose cap is less than their sum. */
export class Rush extends PlannedCommand<{ call: CallPlan; calls: number; headroom: number }> {
  override check(model: Readonly<LedgerModel>): boolean {
    return (
      model.monthlyLimit === null &&
      model.accountLimits.length === 0 &&
      !model.paused &&
      model.usable.length < 10
    )
  }

  protected async act(model: LedgerModel, world: World): Promise<void> {
    const { call: callPlan, calls, headroom } = this.plan
    await addKey(model, world, headroom)
    const key = model.usable.length - 1
    const all = Array.from({ length: calls }, () =>
      prepareCall(model, { ...callPlan, key, delayMs: RUSH_MS }),
    )
    const answers = await Promise.all(
      all.map((call) => {
        if (call) world.provider.set(call.tag, call.plan)
        return call && send(world, call)
      }),
    )
    await world.idle()
    for (const [at, call] of all.entries()) {
      const answer = answers[at]
      if (call && answer) await recordCharge(model, world, call, answer, true)
    }
    const spent = model.usable[key]?.spent ?? 0
    const one = Math.max(...all.flatMap((call) => (call ? rowsOf(world, call.tag) : [])).map(nanoOf))
    must(
      spent <= headroom + one,
      `${calls} calls of ${one} n$ at once spent ${spent} n$ under a cap of ${headroom} n$`,
    )
  }
}

const RUSH_MS = 30

const nanoOf = ({ costUsd }: RequestRecord) => usdToNano(costUsd ?? 0)

/** The same call twice with one Idempotency-Key: executed once, charged once, with the same answer. */
export class Replay extends PlannedCommand<CallPlan> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    const call = prepareCall(model, this.plan)
    if (!call) return
    world.provider.set(call.tag, call.plan)
    call.headers['idempotency-key'] = call.tag
    const caps = capsOf(model, world, call)
    const first = await send(world, call)
    await recordCharge(model, world, call, first, caps.capped)
    const requests = world.provider.requests(call.tag)
    // Only a successful answer must be stored: a failed request may be executed second.
    if (errorOf(first) !== null || isCapError(first)) return
    const second = await send(world, call)
    must(second.headers.get('idempotency-replayed') === 'true', `${call.tag}: not a replay: ${second.status}`)
    must(second.text === first.text && second.status === first.status, `${call.tag}: replayed differently`)
    must(world.provider.requests(call.tag) === requests, `${call.tag}: a replay was executed again`)
    must(rowsOf(world, call.tag).length === 1, `${call.tag}: a replay was settled again`)
  }
}

/** Removes a model's provider, calls the model, and adds the provider again. */
export class WithoutProvider extends PlannedCommand<CallPlan> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    const id = this.plan.choices > 1 ? 'groq' : 'acme'
    const { status } = await world.gateway.call('DELETE', `/v1/providers/${id}`)
    must(status === 200, `a provider was not removed: ${status}`)
    const call = prepareCall(model, this.plan)
    if (call) {
      const answer = await send(world, call)
      must(errorOf(answer) !== null, `${call.tag}: answered without a provider`)
      must(world.provider.requests(call.tag) === 0, `${call.tag}: sent to a removed provider`)
      chargeRows(model, call, rowsOf(world, call.tag), { low: 0, high: 0 })
    }
    await world.addProvider(id)
  }
}
