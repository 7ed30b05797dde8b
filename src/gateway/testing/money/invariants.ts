// What must hold whenever no request is running, and how a settled row is recorded in the model.
import { Account } from '../../../shared/account.ts'
import { KeyList } from '../../../shared/keys.ts'
import { usdToNano } from '../../../shared/money.ts'
import { RequestRecord } from '../../../shared/requests.ts'
import type { CostBounds } from './behaviours.ts'
import { type LedgerModel, must } from './ledger-model.ts'
import type { World } from './world.ts'

/** Takes the rows of a call into the model; its cost must lie between the bounds. */
export function take(model: LedgerModel, rows: readonly RequestRecord[], bounds: CostBounds): void {
  for (const row of rows) {
    const nano = usdToNano(row.costUsd ?? -1)
    const low = bounds.low === 0 ? 0 : Math.max(1, model.discounted(bounds.low))
    const attempts = row.attempts.map(({ status, error }) => `${status} ${error}`).join(', ')
    const told = `${row.client} ${row.status} ${row.costStatus} (${attempts})`
    must(nano >= low, `${told}: charged ${nano} n$, at least ${low} n$ are due`)
    const high = model.discounted(bounds.high)
    must(nano <= high, `${told}: charged ${nano} n$, at most ${high} n$ can be due`)
    model.charge(row.keyId, nano, Date.parse(row.createdAt))
  }
}

/** Compares the gateway's ledger with the model. */
export async function checkLedger(model: LedgerModel, world: World): Promise<void> {
  await world.idle()
  const read = async (path: string) => (await world.gateway.call('GET', path)).json
  const keys = KeyList.parse(await read('/v1/keys')).data
  for (const { id, spent, revoked } of model.keys) {
    const key = keys.find((one) => one.id === id)
    must(key !== undefined, `the key ${id} is gone`)
    must(usdToNano(key.spendUsd) === spent, `key ${id}: ${usdToNano(key.spendUsd)} n$, its rows ${spent} n$`)
    must(key.reservedUsd === 0, `key ${id}: $${key.reservedUsd} reserved when nothing runs`)
    must((key.revokedAt !== null) === revoked, `key ${id}: revoked at ${key.revokedAt}`)
  }
  const revoked = model.keys.filter((key) => key.revoked)
  // One of them each time: in the end, all have been tried after every kind of command.
  const tried = revoked[world.steps % Math.max(1, revoked.length)]
  if (tried) {
    const { status } = await world.gateway.call('GET', '/v1/key', { as: tried.secret })
    must(status === 401, `a revoked key was answered with ${status}`)
  }
  const account = await accountOf(model, world)
  const sum = keys.reduce((total, { spendUsd }) => total + usdToNano(spendUsd), 0)
  must(usdToNano(account.spendUsd) === sum, `account: ${account.spendUsd} USD, its keys ${sum} n$`)
  must(sum === model.spent, `all keys: ${sum} n$, the rows ${model.spent} n$`)
  must(account.reservedUsd === 0, `account: $${account.reservedUsd} reserved when nothing runs`)
}

/** After the clock was set, a month is counted anew: its figure may come a moment later. */
const COUNTED_MS = 5_000

/** The account, once its month is what the rows of the month come to. */
async function accountOf(model: LedgerModel, world: World): Promise<Account> {
  const until = performance.now() + COUNTED_MS
  for (;;) {
    const told = world.accountTold()
    const account = Account.parse((await world.gateway.call('GET', '/v1/account')).json)
    const starts = Date.parse(account.monthStartsAt)
    const resets = Date.parse(account.monthResetsAt)
    const isNow = starts <= world.now() && world.now() < resets
    const month = model.spentBetween(starts, resets)
    if (isNow && usdToNano(account.monthSpendUsd) === month) return account
    if (performance.now() < until) await told
    else {
      must(isNow, `the month from ${account.monthStartsAt} to ${account.monthResetsAt} is not this one`)
      must(false, `month: ${account.monthSpendUsd} USD, its rows ${month} n$`)
    }
  }
}

/** A row as it is kept, which must be what was heard of it. */
export async function checkKept(world: World, heard: RequestRecord): Promise<void> {
  const answer = await world.gateway.call('GET', `/v1/requests/${heard.id}`)
  const kept = RequestRecord.parse(answer.json)
  must(
    kept.costUsd === heard.costUsd && kept.status === heard.status,
    `${heard.client}: heard ${heard.status} $${heard.costUsd}, kept ${kept.status} $${kept.costUsd}`,
  )
}
