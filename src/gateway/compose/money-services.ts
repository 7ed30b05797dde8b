// The services that decide what may be spent, and record what was.
import { limitReached } from '../activity/entries.ts'
import { ApiKeys } from '../keys/api-keys.ts'
import { KeyEnds } from '../keys/key-ends.ts'
import { KeyPauses } from '../keys/key-pauses.ts'
import { CostConfirmations } from '../observe/request-log/cost-confirmation.ts'
import { Records } from '../observe/request-log/records.ts'
import { Rejections } from '../observe/request-log/rejections.ts'
import { RepeatCounter } from '../observe/request-log/repeat-counter.ts'
import { SessionLog } from '../observe/request-log/session-log.ts'
import { UsageSums } from '../observe/request-log/usage-sums.ts'
import { Ledger, type Refusal } from '../request/ledger.ts'
import { LiveSessions } from '../sessions/live-sessions.ts'
import { AccountService } from '../spend/account.ts'
import { Budget } from '../spend/budget.ts'
import { CapAlerts, Charging } from '../spend/cap-alerts.ts'
import { Holds } from '../spend/holds.ts'
import { RateLimits } from '../spend/rates/rate-limits.ts'
import { Rehearsals } from '../spend/rehearsal.ts'
import { SpendLimits } from '../spend/spend-limits.ts'
import type { BaseServices } from './gateway-api.ts'

export type MoneyServices = Awaited<ReturnType<typeof createMoneyServices>>

export async function createMoneyServices({
  options,
  clock,
  store,
  state,
  events,
  settings,
  activity,
}: BaseServices) {
  const { log } = options
  const keys = new ApiKeys({ store, clock, events, endedKeys: settings.stored(KeyEnds.setting) }, state.keys)
  const keyPauses = new KeyPauses({ store, clock, keys })
  const account = new AccountService({ store, clock, events, settings }, state.accountSpendNano)
  await account.recount()
  const spendLimits = new SpendLimits({ account, keys, store })
  const budget = new Budget(spendLimits, undefined, clock)
  await budget.refreshLimits()
  const holds = new Holds({ store, clock, budget, keys, account, log })
  await holds.restore(await store.write('loadHolds', { now: clock.now() }))
  const limits = new RateLimits(clock, account)
  const sessions = new LiveSessions(state.sessions)
  const refusals = new RepeatCounter<Refusal>(clock, (row) => ledger.recount(row))
  const rejections = new Rejections(clock, log, (row) =>
    events.publish('request', () => ({ type: 'request', request: records.rejected(row) })),
  )
  const sessionLog = new SessionLog({ store, clock, keys, events })
  const records = new Records({ store, keys, holds, refusals, rejections })
  const usageSums = new UsageSums({ store, keys, settings })
  const charging = new Charging(
    spendLimits,
    new CapAlerts(settings, events, (reached) => activity.record(limitReached(reached))),
  )
  const ledger = new Ledger({
    store,
    clock,
    keys,
    account,
    budget,
    holds,
    charging,
    records,
    sessionLog,
    events,
    log,
    refusals,
    settings,
  })
  const costConfirmations = new CostConfirmations({
    store,
    clock,
    keys,
    account,
    budget,
    holds,
    charging,
    records,
    events,
    sessionLog,
  })
  return {
    keys,
    keyPauses,
    account,
    spendLimits,
    budget,
    holds,
    usageSums,
    rehearsals: new Rehearsals({ store, clock, account }),
    limits,
    sessions,
    sessionLog,
    rejections,
    records,
    ledger,
    costConfirmations,
  }
}
