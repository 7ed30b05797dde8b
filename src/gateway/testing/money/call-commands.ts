// The commands that make calls: single, concurrent, with an Idempotency-Key, and without a provider.
import { usdToNano } from '../../../shared/money.ts'
import type { RequestRecord } from '../../../shared/requests.ts'
import { book, byCap, type CallPlan, capsOf, errorOf, type Made, make, rowsOf, send } from './calls.ts'
import { PlannedCommand } from './command.ts'
import { take } from './invariants.ts'
import { addKey } from './key-commands.ts'
import { type LedgerModel, must } from './ledger-model.ts'
import type { World } from './world.ts'

export class Call extends PlannedCommand<CallPlan> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    const made = make(model, this.plan)
    if (!made) return
    world.provider.set(made.tag, made.plan)
    const caps = capsOf(model, world, made.key)
    const answer = await send(world, made)
    if (caps.keyReached || caps.monthReached) {
      const code = caps.keyReached ? 'spend_limit_reached' : 'account_limit_reached'
      must(answer.status === 402, `${made.tag}: answered ${answer.status} at the cap`)
      must(errorOf(answer)?.code === code, `${made.tag}: ${errorOf(answer)?.code} instead of ${code}`)
    }
    // Only a stream can be broken off for want of money; what is alone finds nothing reserved.
    const mayBeCut = caps.keyReached || caps.monthReached || (caps.capped && made.plan.stream)
    await book(model, world, made, answer, mayBeCut)
  }
}

/** Several at once, on one key or on many. */
export class Group extends PlannedCommand<{ calls: readonly CallPlan[] }> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    const all = this.plan.calls.map((plan) => make(model, plan)).filter((made) => made !== null)
    const before = new Map(model.keys.map((key) => [key, key.spent]))
    const caps = new Map(all.map((made) => [made, capsOf(model, world, made.key)]))
    const answers = await Promise.all(
      all.map((made) => {
        world.provider.set(made.tag, made.plan)
        return send(world, made)
      }),
    )
    await world.idle()
    for (const [at, made] of all.entries()) {
      const answer = answers[at]
      if (answer) await book(model, world, made, answer, caps.get(made)?.capped === true)
    }
    for (const [key, spentBefore] of before) {
      if (key.limit === null) continue
      const own = all.filter((made) => made.key === key)
      mustHold(key.limit, spentBefore, key.spent, own, world)
    }
  }
}

/** Spend passes a cap by at most one plain request, and by what each stream was sent ahead of its top-up. */
function mustHold(limit: number, before: number, after: number, calls: readonly Made[], world: World): void {
  if (after <= limit || after === before) return
  const costs = calls.flatMap(({ tag }) => rowsOf(world, tag)).map(({ costUsd }) => (costUsd ?? 0) * 1e9)
  const slack = Math.max(0, ...costs) * (1 + calls.filter(({ plan }) => plan.stream).length)
  must(
    after <= Math.max(limit, before) + slack,
    `spent ${after} n$ under a cap of ${limit} n$, ${before} n$ before`,
  )
}

/** So many like calls at once, on a new key whose cap is less than what they come to. */
export class Rush extends PlannedCommand<{ call: CallPlan; calls: number; room: number }> {
  override check(model: Readonly<LedgerModel>): boolean {
    return model.monthlyLimit === null && model.usable.length < 10
  }

  protected async act(model: LedgerModel, world: World): Promise<void> {
    const { call, calls, room } = this.plan
    await addKey(model, world, room)
    const key = model.usable.length - 1
    const all = Array.from({ length: calls }, () => make(model, { ...call, key, takesMs: RUSH_MS }))
    const answers = await Promise.all(
      all.map((made) => {
        if (made) world.provider.set(made.tag, made.plan)
        return made && send(world, made)
      }),
    )
    await world.idle()
    for (const [at, made] of all.entries()) {
      const answer = answers[at]
      if (made && answer) await book(model, world, made, answer, true)
    }
    const spent = model.usable[key]?.spent ?? 0
    const one = Math.max(...all.flatMap((made) => (made ? rowsOf(world, made.tag) : [])).map(nanoOf))
    must(
      spent <= room + one,
      `${calls} calls of ${one} n$ at once spent ${spent} n$ under a cap of ${room} n$`,
    )
  }
}

const RUSH_MS = 30

const nanoOf = ({ costUsd }: RequestRecord) => usdToNano(costUsd ?? 0)

/** The same call twice under one Idempotency-Key: run once, billed once, answered alike. */
export class Replay extends PlannedCommand<CallPlan> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    const made = make(model, this.plan)
    if (!made) return
    world.provider.set(made.tag, made.plan)
    made.headers['idempotency-key'] = made.tag
    const caps = capsOf(model, world, made.key)
    const first = await send(world, made)
    await book(model, world, made, first, caps.capped)
    const requests = world.provider.requests(made.tag)
    // Only what was served must be kept: a failure may be asked for anew.
    if (errorOf(first) !== null || byCap(first)) return
    const again = await send(world, made)
    must(again.headers.get('idempotency-replayed') === 'true', `${made.tag}: not a replay: ${again.status}`)
    must(again.text === first.text && again.status === first.status, `${made.tag}: replayed otherwise`)
    must(world.provider.requests(made.tag) === requests, `${made.tag}: a replay was run again`)
    must(rowsOf(world, made.tag).length === 1, `${made.tag}: a replay was settled again`)
  }
}

/** A model's provider is taken away, asked for, and put back. */
export class WithoutProvider extends PlannedCommand<CallPlan> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    const id = this.plan.choices > 1 ? 'groq' : 'acme'
    const { status } = await world.gateway.call('DELETE', `/v1/providers/${id}`)
    must(status === 200, `a provider was not removed: ${status}`)
    const made = make(model, this.plan)
    if (made) {
      const answer = await send(world, made)
      must(errorOf(answer) !== null, `${made.tag}: served without a provider`)
      must(world.provider.requests(made.tag) === 0, `${made.tag}: sent to a provider that is not there`)
      take(model, rowsOf(world, made.tag), { low: 0, high: 0 })
    }
    await world.addProvider(id)
  }
}
