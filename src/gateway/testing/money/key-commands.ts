// The commands that change what may be spent: keys, caps, the monthly limit, the plan, the clock.
import { Command, PlannedCommand } from './command.ts'
import { type LedgerModel, must } from './ledger-model.ts'
import type { World } from './world.ts'

const NANO_PER_USD = 1e9

/** A cap, in nano-dollars above what is spent; 0 is a cap that is reached. Null: none. */
export type Room = number | null

const usdOf = (spent: number, room: Room) => (room === null ? null : (spent + room) / NANO_PER_USD)

export class CreateKey extends PlannedCommand<{ room: Room }> {
  override check(model: Readonly<LedgerModel>): boolean {
    return model.usable.length < 8
  }

  protected async act(model: LedgerModel, world: World): Promise<void> {
    await addKey(model, world, this.plan.room)
  }
}

export async function addKey(model: LedgerModel, world: World, room: Room): Promise<void> {
  const body = { name: `Key ${model.keys.length}`, scope: 'full', spendLimitUsd: usdOf(0, room) }
  const { id, secret } = await world.gateway.createKey(body)
  model.keys.push({ id, secret, limit: room, spent: 0, revoked: false })
}

/** Raises a cap, lowers it, sets it to what is spent, or takes it away. */
export class SetCap extends PlannedCommand<{ key: number; room: Room }> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    const { key: at, room } = this.plan
    const key = model.usable[at % model.usable.length]
    if (!key) return
    const body = { spendLimitUsd: usdOf(key.spent, room) }
    const { status, text } = await world.gateway.call('PATCH', `/v1/keys/${key.id}`, { body })
    must(status === 200, `a cap was refused: ${text}`)
    key.limit = room === null ? null : key.spent + room
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
    const answer = await world.gateway.chat({ model: 'honest' }, { as: key.secret })
    must(answer.status === 401, `a revoked key was served: ${answer.status} ${answer.text}`)
  }
}

export class SetMonthlyLimit extends PlannedCommand<{ room: Room }> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    const account = (await world.gateway.call('GET', '/v1/account')).json
    const limitUsd = usdOf(Math.round(account.monthSpendUsd * NANO_PER_USD), this.plan.room)
    const body = { monthlyLimitUsd: limitUsd }
    const { status, text } = await world.gateway.call('PATCH', '/v1/account', { body })
    must(status === 200, `a monthly limit was refused: ${text}`)
    model.monthlyLimit = limitUsd === null ? null : Math.round(limitUsd * NANO_PER_USD)
  }
}

export class ChangePlan extends Command {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    model.plan = model.plan === 'bundle' ? 'pay-as-you-go' : 'bundle'
    const { status } = await world.gateway.call('PATCH', '/v1/account', { body: { plan: model.plan } })
    must(status === 200, `a plan was refused: ${status}`)
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
