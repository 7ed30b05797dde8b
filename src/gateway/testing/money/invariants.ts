// The invariants that hold whenever no request is running, and the recording of settled rows in the model.
import { Account } from '../../../shared/account.ts'
import { KeyList, KeyMetadata } from '../../../shared/keys.ts'
import { usdToNano } from '../../../shared/money.ts'
import { RequestRecord } from '../../../shared/requests.ts'
import { SessionList } from '../../../shared/sessions.ts'
import type { SpendLimitState } from '../../../shared/spend-limits.ts'
import { Usage } from '../../../shared/usage.ts'
import type { CostBounds } from './behaviors.ts'
import { type KeyModel, type LedgerModel, must } from './ledger-model.ts'
import { type ChargeModel, LATER, type LimitModel } from './limit-model.ts'
import type { World } from './world.ts'

/** Charges the rows of a call in the model. Throws when a cost is outside the bounds. */
export function chargeRows(
  model: LedgerModel,
  { session, project }: Pick<ChargeModel, 'session' | 'project'>,
  rows: readonly RequestRecord[],
  bounds: CostBounds,
): void {
  for (const row of rows) {
    const nano = usdToNano(row.costUsd ?? -1)
    const low = bounds.low === 0 ? 0 : Math.max(1, model.discounted(bounds.low))
    const attempts = row.attempts.map(({ status, error }) => `${status} ${error}`).join(', ')
    const label = `${row.client} ${row.status} ${row.costStatus} (${attempts})`
    must(nano >= low, `${label}: charged ${nano} n$, expected at least ${low} n$`)
    const high = model.discounted(bounds.high)
    must(nano <= high, `${label}: charged ${nano} n$, expected at most ${high} n$`)
    const { keyId, createdAt, tag } = row
    must(tag === project, `${label}: of the project ${tag}, expected ${project}`)
    model.charge({
      keyId,
      nano,
      model: row.model ?? row.requestedModel ?? '',
      createdAt: Date.parse(createdAt),
      ...{ session, project },
    })
  }
}

/** Releases what outlives requests without an answer, so that nothing is reserved when nothing runs. */
async function releaseHeld(world: World): Promise<void> {
  for (const row of world.settled) {
    if (row.heldUsd === null) continue
    row.heldUsd = null
    const { status } = await world.gateway.call('POST', `/v1/requests/${row.id}/release`)
    // After a restart, a hold may have ended by the clock that the model sets.
    must(status === 200 || status === 400, `${row.id}: its hold could not be released: ${status}`)
  }
}

/** Compares the gateway's ledger with the model. */
export async function checkLedger(model: LedgerModel, world: World): Promise<void> {
  await world.idle()
  await releaseHeld(world)
  const read = async (path: string) => (await world.gateway.call('GET', path)).json
  const keys = KeyList.parse(await read('/v1/keys')).data
  for (const { id, spent, revoked, paused } of model.keys) {
    const key = keys.find((one) => one.id === id)
    must(key !== undefined, `the key ${id} is missing`)
    must(
      usdToNano(key.spendUsd) === spent,
      `key ${id}: ${usdToNano(key.spendUsd)} n$, sum of its rows ${spent} n$`,
    )
    must(key.reservedUsd === 0, `key ${id}: $${key.reservedUsd} reserved when nothing runs`)
    must((key.revokedAt !== null) === revoked, `key ${id}: revoked at ${key.revokedAt}`)
    must((key.pausedAt !== null) === paused, `key ${id}: paused at ${key.pausedAt}`)
  }
  const revoked = model.keys.filter((key) => key.revoked)
  // One per call, in turn: a run covers every key after every kind of command.
  const revokedKey = revoked[world.steps % Math.max(1, revoked.length)]
  if (revokedKey) {
    const { status } = await world.gateway.call('GET', '/v1/key', { as: revokedKey.secret })
    must(status === 401, `a revoked key was answered with ${status}`)
  }
  await checkLimits(model, world)
  const account = await accountOf(model, world)
  const sum = keys.reduce((total, { spendUsd }) => total + usdToNano(spendUsd), 0)
  must(usdToNano(account.spendUsd) === sum, `account: ${account.spendUsd} USD, its keys ${sum} n$`)
  must(sum === model.spent, `all keys: ${sum} n$, the rows ${model.spent} n$`)
  must(account.reservedUsd === 0, `account: $${account.reservedUsd} reserved when nothing runs`)
  must((account.pausedAt !== null) === model.paused, `account: paused at ${account.pausedAt}`)
  const ofSessions = await spentInSessions(read)
  must(ofSessions === sum, `all sessions: ${ofSessions} n$, all keys ${sum} n$`)
  await checkProjects(model, read)
}

async function spentInSessions(read: (path: string) => Promise<unknown>): Promise<number> {
  let nano = 0
  let cursor: string | null = ''
  while (cursor !== null) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { data, nextCursor } = SessionList.parse(await read(`/v1/sessions?limit=500${after}`))
    for (const { costUsd } of data) nano += usdToNano(costUsd)
    cursor = nextCursor
  }
  return nano
}

/** The sums of each project. */
async function checkProjects(model: LedgerModel, read: (path: string) => Promise<unknown>): Promise<void> {
  const { data } = Usage.parse(await read(`/v1/usage?groupBy=tag&${ALL_TIME}`))
  const projects = new Set(model.charges.map(({ project }) => project))
  for (const project of projects) {
    const charges = model.charges.filter((charge) => charge.project === project)
    const spent = charges.reduce((sum, { nano }) => sum + nano, 0)
    const shown = usdToNano(data.find(({ group }) => group === (project ?? ''))?.costUsd ?? 0)
    must(shown === spent, `project ${project}: ${shown} n$, its rows ${spent} n$`)
  }
}

const ALL_TIME = 'from=2000-01-01T00:00:00Z&to=2100-01-01T00:00:00Z'

/** After a jump of the clock, the month is recounted in the background. */
const RECOUNT_MS = 30_000

/** Compares what is counted under each listed limit with the sum of its rows. */
async function checkLimits(model: LedgerModel, world: World): Promise<void> {
  const until = performance.now() + RECOUNT_MS
  for (;;) {
    const nextEvent = world.nextAccountEvent()
    const wrong = await findWrongLimit(model, world)
    if (wrong === null) return
    must(performance.now() < until, wrong)
    await nextEvent
  }
}

async function findWrongLimit(model: LedgerModel, world: World): Promise<string | null> {
  const limited = model.usable.filter(({ limits }) => limits.length > 0)
  if (limited.length === 0 && model.accountLimits.length === 0) return null
  const read = async (path: string) => (await world.gateway.call('GET', path)).json
  const shown = KeyList.parse(await read('/v1/keys')).data
  const now = world.now()
  for (const key of limited) {
    const states = shown.find(({ id }) => id === key.id)?.spendLimits ?? []
    const sessions = [...model.sessions].filter(({ keyId }) => keyId === key.id)
    for (const [index, limit] of key.limits.entries()) {
      const possible =
        limit.per === 'session'
          ? [0, ...sessions.map(({ session }) => model.spentUnder(key, limit, now, session))]
          : [model.spentUnder(key, limit, now)]
      if (!isShown(states[index], possible))
        return `key ${key.id}: ${describe(limit, states[index], possible)}`
    }
  }
  const { spendLimits } = Account.parse(await read('/v1/account'))
  for (const [index, limit] of model.accountLimits.entries()) {
    const possible =
      limit.per === 'session'
        ? [0, ...model.sessions.map((of) => model.spentByAll(limit, now, of))]
        : [model.spentByAll(limit, now)]
    if (!isShown(spendLimits[index], possible))
      return `account: ${describe(limit, spendLimits[index], possible)}`
  }
  return null
}

type Shown = Pick<SpendLimitState, 'spentUsd' | 'reservedUsd'> | undefined

/** `possible`: of a limit per session, the spend of each session, as the one used last is shown; 0 before the first. */
function isShown(shown: Shown, possible: readonly number[]): boolean {
  return shown?.reservedUsd === 0 && possible.includes(usdToNano(shown.spentUsd))
}

function describe(limit: LimitModel, shown: Shown, possible: readonly number[]): string {
  const { spentUsd, reservedUsd } = shown ?? {}
  return `${JSON.stringify(limit)}: $${spentUsd} spent and $${reservedUsd} reserved, its rows ${possible} n$`
}

/** A limit per session shows the session of the last call. */
export async function checkLastSession(
  model: LedgerModel,
  world: World,
  { key, session }: { key: KeyModel; session: string },
): Promise<void> {
  if (!key.limits.some(({ per }) => per === 'session')) return
  await world.idle()
  const { json } = await world.gateway.call('GET', `/v1/keys/${key.id}`)
  for (const [index, limit] of key.limits.entries()) {
    if (limit.per !== 'session') continue
    const possible = [model.spentUnder(key, limit, world.now(), session)]
    const shown = KeyMetadata.parse(json).spendLimits[index]
    must(isShown(shown, possible), `session ${session}: ${describe(limit, shown, possible)}`)
  }
}

/** The account, once its month equals the sum of the month's rows. */
async function accountOf(model: LedgerModel, world: World): Promise<Account> {
  const until = performance.now() + RECOUNT_MS
  for (;;) {
    const nextEvent = world.nextAccountEvent()
    const account = Account.parse((await world.gateway.call('GET', '/v1/account')).json)
    const starts = Date.parse(account.monthStartsAt)
    const resets = Date.parse(account.monthResetsAt)
    const isNow = starts <= world.now() && world.now() < resets
    const month = model.spentBetween(starts, resets + LATER)
    if (isNow && usdToNano(account.monthSpendUsd) === month) return account
    if (performance.now() < until) await nextEvent
    else {
      must(isNow, `the month from ${account.monthStartsAt} to ${account.monthResetsAt} is not this one`)
      must(false, `month: ${account.monthSpendUsd} USD, its rows ${month} n$`)
    }
  }
}

/** Checks that the stored row equals the published one. */
export async function checkStored(world: World, published: RequestRecord): Promise<void> {
  const answer = await world.gateway.call('GET', `/v1/requests/${published.id}`)
  const stored = RequestRecord.parse(answer.json)
  must(
    stored.costUsd === published.costUsd && stored.status === published.status,
    `${published.client}: published ${published.status} $${published.costUsd}, stored ${stored.status} $${stored.costUsd}`,
  )
}
