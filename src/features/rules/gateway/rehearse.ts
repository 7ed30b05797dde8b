// Tries a rule or a limit on past requests: what it would have done, and what that would have saved.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ApiKeys } from '../../../gateway/keys/api-keys.ts'
import type { Catalog } from '../../../gateway/models/catalog/catalog.ts'
import type { Clock } from '../../../gateway/platform/clock.ts'
import type { AccountService } from '../../../gateway/spend/account.ts'
import type { Store } from '../../../gateway/store/store.ts'
import type { AccountSpendLimit } from '../../../shared/api/spend-limits.ts'
import { daySpan } from '../../../shared/values/calendar.ts'
import type { Rehearsal, RehearsalInput } from '../api/rehearsal.ts'
import { findLimitStart, type LimitOwners, PastLimits, toSpend } from './past-limits.ts'
import type { PastRequest, PastSpan } from './past-rows.ts'
import type { StoredRule } from './rule-rows.ts'
import { insertTried, RuleTrial } from './rule-trial.ts'
import { Tally } from './tally.ts'

const DAY_MS = 86_400_000
/** Rows are read in parts, so that other requests go on meanwhile. */
const PART_MS = DAY_MS / 4

export interface RehearseDeps {
  store: Store
  clock: Clock
  keys: ApiKeys
  account: AccountService
  catalog: Catalog
}

interface Past extends Pick<PastSpan, 'from' | 'history'> {
  tally: Tally
  zone: string
}

/** `findPlace`: the rules that are on, and the place among them of the one that is tried. Throws 404 for an unknown key. */
export async function rehearse(
  { rule, id, limit, keyId, history, days }: RehearsalInput,
  findPlace: (id: string | undefined) => Promise<{ others: readonly StoredRule[]; place: number }>,
  deps: RehearseDeps,
): Promise<Rehearsal> {
  const { zone } = deps.account.counters
  const { start: from } = daySpan(deps.clock.now() - (days - 1) * DAY_MS, zone)
  const past = { from, history, zone, tally: new Tally(from, zone) }
  if (limit) await tryLimit(limit, keyId, past, deps)
  if (rule) {
    const { others, place } = await findPlace(id)
    await tryRule(insertTried(others, rule, place), past, deps)
  }
  return past.tally.report()
}

async function tryRule(rules: readonly StoredRule[], past: Past, deps: RehearseDeps): Promise<void> {
  const { store, keys, account } = deps
  const needsLimits = rules.some(({ rule }) => rule.when.some(({ kind }) => kind === 'budget'))
  const owners = needsLimits ? { keys: [...keys.all()], accountLimits: account.spendLimits } : NO_LIMITS
  const { limits, start } = await readLimits(owners, past, deps)
  const prices = new Map(await store.scan('listPastPrices'))
  const trial = new RuleTrial(rules, { ...deps, ...past, prices, limits: needsLimits ? limits : null })
  await readRows({ ...past, from: start, keyId: null }, (request) => trial.try(request), deps)
}

const NO_LIMITS: LimitOwners = { keys: [], accountLimits: [] }

/** Requests that it stops do not count under it; those that it only warns of do. */
async function tryLimit(
  limit: AccountSpendLimit,
  keyId: string | null,
  past: Past,
  deps: RehearseDeps,
): Promise<void> {
  const { tally, from } = past
  const owners =
    keyId === null
      ? { keys: [], accountLimits: [limit] }
      : { keys: [{ id: deps.keys.require(keyId).id, spendLimits: [limit] }], accountLimits: [] }
  const { limits, start } = await readLimits(owners, past, deps)
  const warns = limit.action === 'warn'
  const tryRow = (request: PastRequest) => {
    const spend = toSpend(request)
    const { keyPercent, accountPercent } = limits.read(request.createdAt, spend)
    const percent = keyPercent ?? accountPercent
    if (percent === null) return
    const isReached = percent >= 100
    if (warns || !isReached) limits.add(spend)
    if (request.createdAt < from) return
    tally.add(request)
    const savedNano = warns ? 0 : request.costNano
    if (isReached)
      tally.change(
        request,
        warns ? request.model : null,
        savedNano === null ? null : { savedNano, rewriteNano: 0 },
      )
  }
  await readRows({ ...past, from: start, keyId }, tryRow, deps)
}

/** The limits before the first request that counts under them, and the time from which such requests may be. */
async function readLimits(
  owners: LimitOwners,
  { from, zone }: Past,
  { store }: RehearseDeps,
): Promise<{ limits: PastLimits; start: number }> {
  const all = [...owners.keys.flatMap(({ spendLimits }) => spendLimits), ...owners.accountLimits]
  const start = findLimitStart(all, from, zone)
  const sums = all.some(({ per }) => per === 'lifetime') ? await store.scan('listPastSums', start) : []
  return { limits: new PastLimits(owners, zone, sums), start }
}

async function readRows(
  { from, keyId, history }: Omit<PastSpan, 'to'>,
  take: (request: PastRequest) => void,
  { store, clock }: RehearseDeps,
): Promise<void> {
  const now = clock.now()
  for (let at = from; at <= now; at += PART_MS) {
    const rows = await store.scan('listPastRequests', { from: at, to: at + PART_MS, keyId, history })
    for (const request of rows) take(request)
    await nextTurn()
  }
}
