// What must be in the database of a simulated world, and in the memory of its gateway, when nothing runs.
import type { StoredRequest } from '../../store/store.ts'
import type { MemoryDatabase } from '../../store/testing/memory-database.ts'
import { Broken } from './broken.ts'
import { checkBills, checkCap, checkStrictCap, type Tracked } from './invariants.ts'
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
  isStrict: boolean
}

export type Row = Pick<StoredRequest, 'costNano' | 'costStatus' | 'settledAt'>

export class Books {
  readonly #database: MemoryDatabase
  readonly #keys: readonly SimulatedKey[]
  readonly #tracked: ReadonlyMap<number, Tracked>
  readonly #pastSpendNano: number

  constructor(
    database: MemoryDatabase,
    keys: readonly SimulatedKey[],
    tracked: ReadonlyMap<number, Tracked>,
    pastSpendNano: number,
  ) {
    this.#database = database
    this.#keys = keys
    this.#tracked = tracked
    this.#pastSpendNano = pastSpendNano
  }

  findRow(id: string): Row | null {
    const result = this.#database.read(['getRequest', id])
    return 'value' in result && isRow(result.value) ? result.value : null
  }

  /** The books agree, and what clients were told is in them. */
  check(services: Services, guard: (check: () => void) => void): void {
    for (const tracked of this.#tracked.values()) {
      guard(() => this.#checkRow(tracked))
      guard(() => checkBills(tracked))
    }
    for (const [number, { capNano, isStrict }] of this.#keys.entries()) {
      const requests = [...this.#tracked.values()].filter(({ action }) => action.key === number)
      guard(() => (isStrict ? checkStrictCap : checkCap)(requests, capNano))
    }
    guard(() => this.#checkSums(services))
    guard(() => this.#checkHeld(services))
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
        throw new Broken(
          'books',
          `the rows of ${key.name} have ${rowsNano}, and it has spent ${key.spendNano}`,
        )
    }
    const { totalNano } = account.counters
    if (keysNano !== totalNano)
      throw new Broken('books', `the keys have spent ${keysNano}, and the account ${totalNano}`)
  }

  /** Nothing is reserved but what the requests say that they hold. */
  #checkHeld({ keys, account, holds }: Services): void {
    let allNano = 0
    for (const key of keys.all()) {
      let heldNano = 0
      for (const { row, action } of this.#tracked.values())
        if (row && this.#keys[action.key]?.id === key.id) heldNano += holds.find(row.id)?.nano ?? 0
      if (heldNano !== key.reservedNano)
        throw new Broken('held', `${heldNano} are held for ${key.name}, and ${key.reservedNano} are reserved`)
      allNano += heldNano
    }
    if (allNano !== account.reservedNano)
      throw new Broken('held', `${allNano} are held, and ${account.reservedNano} are reserved`)
  }

  #checkRow({ seen, action, row, bills, isLost }: Tracked): void {
    const id = row?.id
    if (id === undefined || seen.status === null) return
    const found = this.findRow(id)
    // Nothing was sent because it could not be recorded, or a crash has come before it could be; see `checkLost`.
    if (!found && seen.status === 503 && (isLost || bills.every(({ nano }) => nano === 0))) return
    if (!found)
      throw new Broken('told', `request ${action.id} was answered with ${seen.status}, and has no row`)
    if (found.costStatus === 'pending')
      throw new Broken('end', `request ${action.id} is over, and its row is not settled`)
    const told = seen.trailers['x-service-cost-usd'] ?? seen.headers['x-service-cost-usd']
    if (told === undefined || found.costNano === null || found.costStatus === 'confirmed') return
    if (Math.abs(Number(told) * 1e9 - found.costNano) > 501)
      throw new Broken(
        'told',
        `request ${action.id} was told to cost ${told} USD, and its row has ${found.costNano} (${found.costStatus})`,
      )
  }

  /**
   * A crash may lose the rows of requests that were sent in the last moments before it, and of those that were sent in the last
   * moments before the disk failed, which it still does.
   */
  checkLost(ended: readonly Tracked[]): void {
    const byFailure = new Map<number, number[]>()
    for (const { row, bills, action } of ended) {
      if (row === null || !bills.some(({ nano }) => nano > 0) || this.findRow(row.id)) continue
      // Further attempts belong to the same row.
      const [first] = bills
      if (!first) continue
      const moments = byFailure.get(first.diskFailures) ?? []
      moments.push(first.sentAt)
      if (first.isDiskFailing)
        throw new Broken(
          'lost',
          `request ${action.id} was sent while the disk failed, and has no row after the crash`,
        )
      byFailure.set(first.diskFailures, moments)
    }
    for (const moments of byFailure.values()) {
      const withinMs = Math.max(...moments) - Math.min(...moments)
      if (withinMs > LOST_MS)
        throw new Broken(
          'lost',
          `${moments.length} requests that vendors bill have no row after the crash; they were sent within ${withinMs} ms`,
        )
    }
  }
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && 'costNano' in value
}
