// What all commands of the money model share: each counts as one step per call, and the ledger is checked after it.
import type fc from 'fast-check'
import { checkLedger } from './invariants.ts'
import type { LedgerModel } from './ledger-model.ts'
import type { World } from './world.ts'

export abstract class Command implements fc.AsyncCommand<LedgerModel, World> {
  check(model: Readonly<LedgerModel>): boolean {
    return model.usable.length > 0
  }

  async run(model: LedgerModel, world: World): Promise<void> {
    const before = world.steps
    await this.act(model, world)
    if (world.steps === before) world.steps += 1
    await checkLedger(model, world)
  }

  protected abstract act(model: LedgerModel, world: World): Promise<void>

  abstract toString(): string
}

/** A command that is described by its name and its values. */
export abstract class PlannedCommand<Plan> extends Command {
  protected readonly plan: Plan

  constructor(plan: Plan) {
    super()
    this.plan = plan
  }

  toString(): string {
    return `${this.constructor.name}(${JSON.stringify(this.plan)})`
  }
}
