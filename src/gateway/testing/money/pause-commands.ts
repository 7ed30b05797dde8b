// The commands that pause keys and everything, and resume them.
import { PlannedCommand } from './command.ts'
import { type KeyModel, type LedgerModel, must } from './ledger-model.ts'
import type { World } from './world.ts'

/** What happens to calls that run. */
type Running = 'finish' | 'end'

export async function pause(key: KeyModel, world: World, running: Running): Promise<void> {
  await post(world, `/v1/keys/${key.id}/pause`, { running })
  key.paused = true
}

export async function pauseAll(model: LedgerModel, world: World, running: Running): Promise<void> {
  await post(world, '/v1/pause', { running })
  model.paused = true
}

export class Pause extends PlannedCommand<{ key: number; running: Running }> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    const key = model.usable[this.plan.key % model.usable.length]
    if (key) await pause(key, world, this.plan.running)
  }
}

export class PauseAll extends PlannedCommand<{ running: Running }> {
  protected async act(model: LedgerModel, world: World): Promise<void> {
    await pauseAll(model, world, this.plan.running)
  }
}

/** Resumes everything, except for the keys that are paused themselves; or these. */
export class Resume extends PlannedCommand<{ keys: boolean }> {
  override check(model: Readonly<LedgerModel>): boolean {
    return this.plan.keys ? model.usable.some(({ paused }) => paused) : model.paused
  }

  protected async act(model: LedgerModel, world: World): Promise<void> {
    if (!this.plan.keys) {
      await post(world, '/v1/resume')
      model.paused = false
      return
    }
    for (const key of model.usable.filter(({ paused }) => paused)) {
      await post(world, `/v1/keys/${key.id}/resume`)
      key.paused = false
    }
  }
}

async function post(world: World, path: string, body?: object): Promise<void> {
  const { status, text } = await world.gateway.call('POST', path, body ? { body } : {})
  must(status === 200, `${path} was answered with ${status}: ${text}`)
}
