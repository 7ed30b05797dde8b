// The state that the database of a simulated world, and the memory of its gateway, must have when nothing runs.
import type { z } from 'zod'
import type { Account } from '../../../shared/api/account.ts'
import type { KeyList } from '../../../shared/api/keys.ts'
import type { SessionList } from '../../../shared/api/sessions.ts'
import type { SpendLimit } from '../../../shared/api/spend-limits.ts'
import type { Usage } from '../../../shared/api/usage.ts'
import type { MemoryDatabase } from '../../store/testing/memory-database.ts'
import type { Bill } from './bill.ts'
import { BrokenInvariant } from './broken.ts'
import { checkBills, checkCap, checkStrictCap, type TrackedRequest } from './invariants.ts'
import { isForModel, type Row, spentUnder, sumCosts } from './limits.ts'
import type { Services } from './process.ts'

/** Rows may be lost in a crash if they were sent within so many milliseconds. */
const LOST_MS = 50

export interface SimulatedKey {
  id: string
  secret: string
  /** When its revocation was answered. */
  revokedAt: number | null
  /** The highest cap that it has had, in nano-dollars. */
  capNano: number
  /** The limits that it has had from its beginning, and that stop it. */
  limits: readonly SpendLimit[]
  isStrict: boolean
  /** Infinity if there is no limit. */
  maxSubagents: number
}

/** The figures that the API shows. */
export interface ShownFigures {
  keys: z.infer<typeof KeyList>
  account: Account
  /** The usage by tag. */
  usage: Usage
  sessions: z.infer<typeof SessionList>
  /** The wall clock before and after it was read. */
  from: number
  to: number
}

export class Books {
  readonly #database: MemoryDatabase
  readonly #keys: readonly SimulatedKey[]
  readonly #tracked: ReadonlyMap<number, TrackedRequest>
  readonly #pastSpendNano: number

  constructor(
    database: MemoryDatabase,
    keys: readonly SimulatedKey[],
    tracked: ReadonlyMap<number, TrackedRequest>,
    pastSpendNano: number,
  ) {
    this.#database = database
    this.#keys = keys
    this.#tracked = tracked
    this.#pastSpendNano = pastSpendNano
  }

  findRow(id: string): Row | null {
    const result = this.#database.read(['getRequest', id])
    return result && 'value' in result && isRow(result.value) ? result.value : null
  }

  /** The books agree, and have what clients have received. */
  check(services: Services, guard: (check: () => void) => void): void {
    for (const tracked of this.#tracked.values()) {
      guard(() => this.#checkRow(tracked))
      guard(() => checkBills(tracked))
    }
    for (const number of this.#keys.keys()) guard(() => this.checkCaps(number))
    guard(() => this.#checkSums(services))
    guard(() => this.#checkHeld(services))
  }

  /** The bills of vendors to a key are within its cap and its limits. */
  checkCaps(number: number): void {
    const key = this.#keys[number]
    if (!key) return
    const { capNano, isStrict, limits } = key
    const smallest = Math.min(capNano, ...limits.map(({ usd }) => usd * 1e9))
    if (smallest === Infinity) return
    const requests = [...this.#tracked.values()].filter(({ action }) => action.key === number)
    if (requests.reduce((sum, { bills }) => sum + sumBills(bills), 0) <= smallest) return
    const checkLimit = isStrict ? checkStrictCap : checkCap
    checkLimit(requests, capNano)
    for (const limit of limits) {
      // It asks before a request is sent: what runs when it is reached may finish.
      if (limit.action === 'ask' && !isStrict) continue
      for (const group of divide(requests, limit)) checkLimit(group, limit.usd * 1e9)
    }
  }

  /** The requests that a crash has left without a settlement, with the vendors' bills for them. */
  *unsettled(): Generator<{ id: string; number: number; billedNano: number }> {
    for (const { row, action, bills, isRecovered } of this.#tracked.values()) {
      if (!isRecovered || row === null || this.findRow(row.id)?.costStatus !== 'unsettled') continue
      if (bills.some(({ unasked, isOver }) => unasked > 0 || !isOver)) continue
      yield { id: row.id, number: action.id, billedNano: sumBills(bills) }
    }
  }

  /** The spend shown by the API is the sum of the rows that count. */
  checkShown({ keys, account, usage, sessions, from, to }: ShownFigures): void {
    const rows = [...this.#tracked.values()].flatMap(({ row }) => (row && this.findRow(row.id)) ?? [])
    const all = sumCosts(rows)
    for (const { id, name, spendUsd, spendLimits } of keys.data) {
      const own = rows.filter(({ keyId }) => keyId === id)
      expectSum(name, spendUsd, [sumCosts(own)])
      for (const limit of spendLimits)
        expectSum(`${name}, ${JSON.stringify(limit)}`, limit.spentUsd, [
          ...spentUnder(limit, own, from),
          ...spentUnder(limit, own, to),
        ])
    }
    for (const limit of account.spendLimits)
      expectSum(`the account, ${JSON.stringify(limit)}`, limit.spentUsd, [
        ...spentUnder(limit, rows, from),
        ...spentUnder(limit, rows, to),
      ])
    const month = { per: 'month', usd: 0, spentUsd: 0, reservedUsd: 0, resetsAt: null } as const
    expectSum('this month', account.monthSpendUsd, [
      ...spentUnder(month, rows, from),
      ...spentUnder(month, rows, to),
    ])
    expectSum(
      'all sessions',
      sessions.data.reduce((sum, { costUsd }) => sum + costUsd, 0),
      [all],
    )
    for (const tag of ['shop', 'lab']) {
      const shown = usage.data.find(({ group }) => group === tag)?.costUsd ?? 0
      expectSum(`the tag ${tag}`, shown, [sumCosts(rows.filter((row) => row.tag === tag))])
    }
  }

  /** Rows, keys and the account have the same sum. */
  #checkSums({ keys, account }: Services): void {
    let keysNano = this.#pastSpendNano
    for (const key of keys.all()) {
      keysNano += key.spendNano
      let rowsNano = 0
      for (const { row, action } of this.#tracked.values())
        if (row && this.#keys[action.key]?.id === key.id) rowsNano += this.findRow(row.id)?.costNano ?? 0
      if (rowsNano !== key.spendNano)
        throw new BrokenInvariant(
          'books',
          `the rows of ${key.name} have ${rowsNano}, and it has spent ${key.spendNano}`,
        )
    }
    const { totalNano } = account.counters
    if (keysNano !== totalNano)
      throw new BrokenInvariant('books', `the keys have spent ${keysNano}, and the account ${totalNano}`)
  }

  /** Nothing is reserved but what the requests say that they hold. */
  #checkHeld({ keys, account, holds }: Services): void {
    let allNano = 0
    for (const key of keys.all()) {
      let heldNano = 0
      for (const { row, action } of this.#tracked.values())
        if (row && this.#keys[action.key]?.id === key.id) heldNano += holds.find(row.id)?.nano ?? 0
      if (heldNano !== key.reservedNano)
        throw new BrokenInvariant(
          'held',
          `${heldNano} are held for ${key.name}, and ${key.reservedNano} are reserved`,
        )
      allNano += heldNano
    }
    if (allNano !== account.reservedNano)
      throw new BrokenInvariant('held', `${allNano} are held, and ${account.reservedNano} are reserved`)
  }

  #checkRow({ seen, action, row, bills, isLost }: TrackedRequest): void {
    const id = row?.id
    if (id === undefined || seen.status === null) return
    const found = this.findRow(id)
    // Nothing was sent because it could not be recorded, or a crash has come before it could be; see `checkLost`.
    if (!found && seen.status === 503 && (isLost || bills.every(({ nano }) => nano === 0))) return
    if (!found)
      throw new BrokenInvariant(
        'told',
        `request ${action.id} was answered with ${seen.status}, and has no row`,
      )
    if (found.costStatus === 'pending')
      throw new BrokenInvariant('end', `request ${action.id} is over, and its row is not settled`)
    const told = seen.trailers['x-service-cost-usd'] ?? seen.headers['x-service-cost-usd']
    if (told === undefined || found.costNano === null || found.costStatus === 'confirmed') return
    if (Math.abs(Number(told) * 1e9 - found.costNano) > 501)
      throw new BrokenInvariant(
        'told',
        `request ${action.id} has received a cost of ${told} USD, and its row has ${found.costNano} (${found.costStatus})`,
      )
  }

  /**
   * A crash may lose the rows of requests that were sent in the last moments before it, and of those that were sent in the last
   * moments before the disk failed, which it still does.
   */
  checkLost(ended: readonly TrackedRequest[]): void {
    const byFailure = new Map<number, number[]>()
    for (const { row, bills, action } of ended) {
      if (row === null || !bills.some(({ nano }) => nano > 0) || this.findRow(row.id)) continue
      // Further attempts belong to the same row.
      const [first] = bills
      if (!first) continue
      const moments = byFailure.get(first.diskFailures) ?? []
      moments.push(first.sentAt)
      if (first.isDiskFailing)
        throw new BrokenInvariant(
          'lost',
          `request ${action.id} was sent while the disk failed, and has no row after the crash`,
        )
      byFailure.set(first.diskFailures, moments)
    }
    for (const moments of byFailure.values()) {
      const withinMs = Math.max(...moments) - Math.min(...moments)
      if (withinMs > LOST_MS)
        throw new BrokenInvariant(
          'lost',
          `${moments.length} requests that vendors bill have no row after the crash; they were sent within ${withinMs} ms`,
        )
    }
  }
}

const sumBills = (bills: readonly Bill[]): number => bills.reduce((sum, { nano }) => sum + nano, 0)

/** The requests that count together under a limit. Periods that roll are not divided. */
function divide(requests: readonly TrackedRequest[], limit: SpendLimit): TrackedRequest[][] {
  if (limit.window === 'rolling' || limit.per === 'week') return []
  const counted = requests.filter(
    ({ row, action, bills }) =>
      row !== null &&
      // A rule may have served another model.
      isForModel(limit, bills.at(-1)?.model.id ?? action.model, '') &&
      (limit.per !== 'subagent' || action.agent !== null),
  )
  const getName = ({ row, action }: TrackedRequest): string => {
    if (limit.per === 'lifetime' || row === null) return ''
    if (limit.per === 'session') return row.sessionId ?? ''
    if (limit.per === 'subagent') return `${row.sessionId} ${action.agent}`
    return new Date(row.createdAt).toISOString().slice(0, limit.per === 'day' ? 10 : 7)
  }
  return [...Map.groupBy(counted, getName).values()]
}

/** `possible`: nano-dollars. */
function expectSum(what: string, shownUsd: number, possible: readonly number[]): void {
  if (possible.some((nano) => Math.abs(nano - shownUsd * 1e9) < 1)) return
  throw new BrokenInvariant(
    'books',
    `${what}: $${shownUsd} are shown, and its rows have ${possible} nano-dollars`,
  )
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && 'costNano' in value
}
