// The commands that abort calls while the provider is working on them. Every such call must be settled.
import { RequestRecord } from '../../../shared/requests.ts'
import type { Answer } from '../gateway.ts'
import { type CallPlan, errorOf, estimateOf, type PreparedCall, prepareCall, rowsOf, send } from './calls.ts'
import { PlannedCommand } from './command.ts'
import { chargeRows } from './invariants.ts'
import { type KeyModel, type LedgerModel, must } from './ledger-model.ts'
import { pause, pauseAll } from './pause-commands.ts'
import type { World } from './world.ts'

/** How a call is aborted while the provider is working on it. */
export type Cut = 'disconnect' | 'revocation' | 'crash' | 'provider-removed' | 'pause' | 'pause-all'

/** Aborts calls that the provider has received but not answered; what was consumed is charged. */
export class CutOff extends PlannedCommand<{ calls: readonly CallPlan[]; cut: Cut; afterText: boolean }> {
  override check(model: Readonly<LedgerModel>): boolean {
    // Under a cap, calls that do not end would block each other for half a minute.
    return model.unlimited.length > 1
  }

  protected async act(model: LedgerModel, world: World): Promise<void> {
    const { cut, calls, afterText } = this.plan
    const { unlimited } = model
    const key = unlimited[(calls[0]?.key ?? 0) % unlimited.length]
    if (!key) return
    const abort = new AbortController()
    const all: PreparedCall[] = []
    const running: Promise<Answer | null>[] = []
    for (const plan of calls) {
      const call = prepareCall(model, { ...plan, choices: 1, key: model.usable.indexOf(key) })
      if (!call) continue
      const received = world.provider.hold(call.tag, call.plan, afterText)
      const ended = send(world, call, abort.signal).catch(() => null)
      await Promise.race([received, ended])
      // Only what is recorded is certain to survive a crash.
      await Promise.race([world.recorded(call.tag), ended])
      all.push(call)
      running.push(ended)
    }
    await this.#end(key, { model, world }, abort)
    const answers = await Promise.all(running)
    await world.idle()
    for (const [at, call] of all.entries()) {
      if (cut === 'revocation') checkEnded(call, answers[at] ?? null, REVOKED)
      if (cut === 'pause' || cut === 'pause-all') checkEnded(call, answers[at] ?? null, PAUSED)
      const rows = rowsOf(world, call.tag)
      must(rows.length === 1, `${call.tag}: settled ${rows.length} times after a ${cut}`)
      chargeRows(model, call, rows, estimateOf(call))
    }
  }

  async #end(
    key: KeyModel,
    { model, world }: { model: LedgerModel; world: World },
    abort: AbortController,
  ): Promise<void> {
    switch (this.plan.cut) {
      case 'disconnect':
        return abort.abort()
      case 'provider-removed':
        await world.gateway.call('DELETE', '/v1/providers/acme')
        await world.addProvider('acme')
        return abort.abort()
      case 'revocation': {
        const { status } = await world.gateway.call('DELETE', `/v1/keys/${key.id}`)
        must(status === 200, `a revocation was answered with ${status}`)
        key.revoked = true
        return
      }
      case 'pause':
        return await pause(key, world, 'end')
      case 'pause-all':
        return await pauseAll(model, world, 'end')
      case 'crash': {
        const cutIds = await world.crash()
        abort.abort()
        for (const id of cutIds) {
          const row = RequestRecord.parse((await world.gateway.call('GET', `/v1/requests/${id}`)).json)
          must(row.status !== 'running', `${id}: still running after a crash`)
          world.settled.push(row)
        }
      }
    }
  }
}

const REVOKED = { status: 401, type: 'authentication_error' }
const PAUSED = { status: 403, type: 'permission_error' }

/** A call whose key was revoked or paused has ended with an error that says so. */
function checkEnded({ tag, plan }: PreparedCall, answer: Answer | null, expected: typeof REVOKED): void {
  must(answer !== null, `${tag}: aborted without an answer, not with ${expected.type}`)
  const error = errorOf(answer)
  const label = `${tag}: ${answer.status} ${error?.type} ${error?.message}, not ${expected.type}`
  must(error?.type === expected.type, label)
  must(plan.stream || answer.status === expected.status, `${tag}: ${answer.status}, not ${expected.status}`)
}
