// The commands that change what may be spent: keys, caps, the monthly limit, the plan, the clock.
import { Command, PlannedCommand } from './command.ts'
import { type LedgerModel, must } from './ledger-model.ts'
import { type AccountLimitModel, type LimitModel, limitBody } from './limit-model.ts'
import type { World } from './world.ts'

const NANO_PER_USD = 1e9

/** A cap, in nano-dollars above the current spend; 0 is a cap that is reached. Null: none. */
export type Headroom = number | null

/** `headroom`: nano-dollars above what is spent in its period. */
export type PlannedLimit = Omit<LimitModel, 'limit'> & { headroom: number }
export type PlannedAccountLimit = Omit<AccountLimitModel, 'limit'> & { headroom: number }

const usdOf = (spent: number, headroom: Headroom) =>
  headroom === null ? null : (spent + headroom) / NANO_PER_USD

export class CreateKey extends PlannedCommand<{ headroom: Headroom }> {
  override check(model: Readonly<LedgerModel>): boolean {
    return model.usable.length < 8
  }

  protected async act(model: LedgerModel, world: World): Promise<void> {
    await addKey(model, world, this.plan.headroom)
  }
}

export async function addKey(model: LedgerModel, world: World, headroom: Headroom): Promise<void> {
  // Every third key has a project of its own.
  const project = model.keys.length % 3 === 2 ? 'shop' : null
  const body = {
    ...{ name: `Key ${model.keys.length}`, scope: 'full', spendLimitUsd: usdOf(0, headroom) },
    ...(project === null ? {} : { tag: project }),
  }
  const { id, secret } = await world.gateway.createKey(body)
  const none = { limits: [], spent: 0, revoked: false, paused: false }
  model.keys.push({ id, secret, limit: headroom, project, ...none })
}

/** Raises a cap, lowers it, sets it to the current spend, or removes it. */
export class SetCap extends PlannedCommand<{ key: number; headroom: Headroom }> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    const { key: at, headroom } = this.plan
    const key = model.usable[at % model.usable.length]
    if (!key) return
    const body = { spendLimitUsd: usdOf(key.spent, headroom) }
    const { status, text } = await world.gateway.call('PATCH', `/v1/keys/${key.id}`, { body })
    must(status === 200, `a cap was rejected: ${text}`)
    key.limit = headroom === null ? null : key.spent + headroom
  }
}

/** Replaces the limits per period of a key by some that leave so much. */
export class SetLimits extends PlannedCommand<{ key: number; limits: readonly PlannedLimit[] }> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    const { key: at, limits } = this.plan
    const key = model.usable[at % model.usable.length]
    if (!key) return
    key.limits = limits.map(({ headroom, ...limit }) => {
      const spent = model.spentUnder(key, { ...limit, limit: 0 }, world.now())
      return { ...limit, limit: spent + headroom }
    })
    const body = { spendLimits: key.limits.map(limitBody) }
    const { status, text } = await world.gateway.call('PATCH', `/v1/keys/${key.id}`, { body })
    must(status === 200, `limits were rejected: ${text}`)
  }
}

/** Replaces the limits of all keys together. */
export class SetAccountLimits extends PlannedCommand<{ limits: readonly PlannedAccountLimit[] }> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    model.accountLimits = this.plan.limits.map(({ headroom, ...limit }) => {
      const spent = model.spentByAll({ ...limit, limit: 0 }, world.now())
      return { ...limit, limit: spent + headroom }
    })
    const body = { spendLimits: model.accountLimits.map(limitBody) }
    const { status, text } = await world.gateway.call('PATCH', '/v1/account', { body })
    must(status === 200, `limits of the account were rejected: ${text}`)
  }
}

export class Revoke extends PlannedCommand<{ key: number }> {
  override check(model: Readonly<LedgerModel>): boolean {
    return model.usable.length > 1
  }

  protected async act(model: LedgerModel, world: World): Promise<void> {
    const key = model.usable[this.plan.key % model.usable.length]
    if (!key) return
    const { status } = await world.gateway.call('DELETE', `/v1/keys/${key.id}`)
    must(status === 200, `a revocation was answered with ${status}`)
    key.revoked = true
    const answer = await world.gateway.chat({ model: 'plausible' }, { as: key.secret })
    must(answer.status === 401, `a revoked key was accepted: ${answer.status} ${answer.text}`)
  }
}

export class SetMonthlyLimit extends PlannedCommand<{ headroom: Headroom }> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    const account = (await world.gateway.call('GET', '/v1/account')).json
    const limitUsd = usdOf(Math.round(account.monthSpendUsd * NANO_PER_USD), this.plan.headroom)
    const body = { monthlyLimitUsd: limitUsd }
    const { status, text } = await world.gateway.call('PATCH', '/v1/account', { body })
    must(status === 200, `a monthly limit was rejected: ${text}`)
    model.monthlyLimit = limitUsd === null ? null : Math.round(limitUsd * NANO_PER_USD)
  }
}

export class ChangePlan extends Command {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    model.plan = model.plan === 'bundle' ? 'pay-as-you-go' : 'bundle'
    const { status } = await world.gateway.call('PATCH', '/v1/account', { body: { plan: model.plan } })
    must(status === 200, `a plan was rejected: ${status}`)
  }

  toString(): string {
    return 'ChangePlan()'
  }
}

export class JumpClock extends PlannedCommand<{ hours: number }> {
  protected async act(_model: LedgerModel, world: World): Promise<void> {
    world.jump(this.plan.hours * 3_600_000)
  }
}

export class Restart extends Command {
  protected async act(_model: LedgerModel, world: World): Promise<void> {
    await world.restart()
  }

  toString(): string {
    return 'Restart()'
  }
}
