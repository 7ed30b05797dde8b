// The commands that abort calls while the provider is working on them. Every such call must be settled.
import { RequestRecord } from '../../../shared/requests.ts'
import type { Answer } from '../gateway.ts'
import { type CallPlan, errorOf, estimateOf, type PreparedCall, prepareCall, rowsOf, send } from './calls.ts'
import { PlannedCommand } from './command.ts'
import { chargeRows } from './invariants.ts'
import { type KeyModel, type LedgerModel, must } from './ledger-model.ts'
import type { World } from './world.ts'

/** How a call is aborted while the provider is working on it. */
export type Cut = 'disconnect' | 'revocation' | 'crash' | 'provider-removed'

/** Aborts calls that the provider has received but not answered; what was consumed is charged. */
export class CutOff extends PlannedCommand<{ calls: readonly CallPlan[]; cut: Cut; afterText: boolean }> {
  override check(model: Readonly<LedgerModel>): boolean {
    // Under a cap, calls that do not end would block each other for half a minute.
    return (
      model.usable.filter(({ limit, limits }) => limit === null && limits.length === 0).length > 1 &&
      model.monthlyLimit === null
    )
  }

  protected async act(model: LedgerModel, world: World): Promise<void> {
    const { cut, calls, afterText } = this.plan
    const uncapped = model.usable.filter(({ limit, limits }) => limit === null && limits.length === 0)
    const key = uncapped[(calls[0]?.key ?? 0) % uncapped.length]
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
    await this.#end(key, world, abort)
    const answers = await Promise.all(running)
    await world.idle()
    for (const [at, call] of all.entries()) {
      if (cut === 'revocation') checkRevoked(call, answers[at] ?? null)
      const rows = rowsOf(world, call.tag)
      must(rows.length === 1, `${call.tag}: settled ${rows.length} times after a ${cut}`)
      chargeRows(model, rows, estimateOf(call))
    }
  }

  async #end(key: KeyModel, world: World, abort: AbortController): Promise<void> {
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

function checkRevoked({ tag, plan }: PreparedCall, answer: Answer | null): void {
  must(answer !== null, `${tag}: aborted without an answer when its key was revoked`)
  const error = errorOf(answer)
  must(
    error?.type === 'authentication_error',
    `${tag}: ${answer.status} ${error?.type} when its key was revoked`,
  )
  must(plan.stream || answer.status === 401, `${tag}: ${answer.status} when its key was revoked`)
}
