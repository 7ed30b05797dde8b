// Checks the ledger for consistency, and compares it with what the clients received. It reads over the API, while no request
// is running.
import { setTimeout as delay } from 'node:timers/promises'
import { Account } from '../../shared/api/account.ts'
import { KeyList, type KeyMetadata } from '../../shared/api/keys.ts'
import { RequestList } from '../../shared/api/request-queries.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import { formatUsdHeader, type NanoUsd, usdToNano } from '../../shared/money/money.ts'
import type { Findings } from '../findings.ts'
import type { Client } from './client.ts'
import type { Expectations } from './expectations.ts'

/** How long interrupted requests may take to be settled. */
const QUIET_MS = 10_000
const TOTALS = 'ledger totals that differ'
const RESERVED = 'reservations without a request that has left them'

interface SettledRow {
  keyId: string
  nano: NanoUsd
  /** The amount that a request without an answer has left reserved. */
  heldNano: number
  status: string
}

export class Audit {
  readonly #expectations: Expectations
  readonly #findings: Findings
  readonly #rows = new Map<string, SettledRow>()
  #running: RequestRecord[] = []
  readonly #chargedTags = new Map<string, string>()
  readonly #compared = new Set<string>()

  constructor(expectations: Expectations, findings: Findings) {
    this.#expectations = expectations
    this.#findings = findings
  }

  /** Reads the new rows of the log and compares. `full`: also reads every earlier row again, which must not have changed. */
  async run(client: Client, admin: string, full = false): Promise<void> {
    await this.#readUntilQuiet(client, admin, full)
    for (const row of this.#running) this.#findings.add('rows left running', `${row.id} (${row.client})`)
    const { data: keys } = KeyList.parse(await client.read('/v1/keys', admin))
    const account = Account.parse(await client.read('/v1/account', admin))
    const byKey = Map.groupBy(this.#rows.values(), ({ keyId }) => keyId)
    for (const key of keys) this.#checkKey(key, byKey.get(key.id) ?? [])
    this.#expectEqual(TOTALS, 'account and its keys', [
      usdToNano(account.spendUsd),
      sum(keys.map(({ spendUsd }) => usdToNano(spendUsd))),
    ])
    this.#expectEqual(RESERVED, 'account', [usdToNano(account.reservedUsd), this.#heldNano()])
    this.#checkAcknowledged()
  }

  /** Until nothing is reserved but what the rows say. */
  async #readUntilQuiet(client: Client, admin: string, full: boolean): Promise<void> {
    const until = performance.now() + QUIET_MS
    await this.#readRows(client, admin, full)
    while (performance.now() < until) {
      const { reservedUsd } = Account.parse(await client.read('/v1/account', admin))
      if (usdToNano(reservedUsd) === this.#heldNano()) return
      await delay(50)
      await this.#readRows(client, admin, false)
    }
  }

  #heldNano(): number {
    return sum([...this.#rows.values()].map(({ heldNano }) => heldNano))
  }

  async #readRows(client: Client, admin: string, full: boolean): Promise<void> {
    this.#running = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page = RequestList.parse(await client.read(`/v1/requests?limit=500${next}`, admin))
      const added = page.data.filter((row) => this.#add(row))
      // Newest first: after a page without new rows, all others are known.
      cursor = added.length > 0 || full ? page.nextCursor : null
    }
  }

  /** Whether the row is new. */
  #add(row: RequestRecord): boolean {
    const { id, keyId, status, client } = row
    if (status === 'running') {
      this.#running.push(row)
      return false
    }
    const nano = usdToNano(row.costUsd ?? 0)
    const earlier = this.#rows.get(id)
    if (earlier) {
      if (earlier.nano !== nano || earlier.status !== status)
        this.#findings.add(TOTALS, `${id} changed: ${earlier.nano} n$ to ${nano} n$`)
      return false
    }
    this.#rows.set(id, { keyId, nano, heldNano: usdToNano(row.heldUsd ?? 0), status })
    if (nano < 0) this.#findings.add('negative charges', `${id}: ${nano} n$`)
    if (nano > 0 && client !== null) {
      const other = this.#chargedTags.get(client)
      if (other !== undefined) this.#findings.add('charges doubled', `${client}: ${other} and ${id}`)
      this.#chargedTags.set(client, id)
    }
    return true
  }

  #checkKey({ id, name, spendUsd, reservedUsd }: KeyMetadata, rows: readonly SettledRow[]): void {
    const spentNano = usdToNano(spendUsd)
    const charges = rows.map(({ nano }) => nano)
    this.#expectEqual(TOTALS, `key ${name} and its rows`, [spentNano, sum(charges)])
    const heldNano = sum(rows.map((row) => row.heldNano))
    this.#expectEqual(RESERVED, `key ${name}`, [usdToNano(reservedUsd), heldNano])
    const cap = this.#expectations.keys.find((key) => key.id === id)?.highestCapUsd
    if (cap == null || spentNano <= usdToNano(cap) + Math.max(0, ...charges)) return
    const detail = `key ${name}: $${spendUsd} under a cap of $${cap}`
    this.#findings.add('caps exceeded by more than one request', detail)
  }

  #expectEqual(what: string, where: string, [one, other]: readonly [number, number]): void {
    if (one !== other) this.#findings.add(what, `${where}: ${one} n$, ${other} n$`)
  }

  #checkAcknowledged(): void {
    for (const [requestId, { call, cost, expectedNano }] of this.#expectations.acknowledged) {
      if (this.#compared.has(requestId)) continue
      this.#compared.add(requestId)
      const nano = this.#rows.get(requestId)?.nano
      const where = `${requestId} (${call.tag})`
      if (nano === undefined) this.#findings.add('acknowledged charges lost', `${where}, $${cost}`)
      else if (formatUsdHeader(nano) !== cost)
        this.#findings.add(
          'acknowledged charges that differ from the reported cost',
          `${where}: received $${cost}, recorded ${nano} n$`,
        )
      else if (expectedNano !== null)
        this.#expectEqual('charges that differ from the reported usage', where, [nano, expectedNano])
    }
  }
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
