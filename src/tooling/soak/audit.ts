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

interface KnownRow {
  keyId: string
  nano: NanoUsd
  client: string | null
  status: string
  costStatus: string
}

export class Audit {
  readonly #expectations: Expectations
  readonly #findings: Findings
  readonly #rows = new Map<string, KnownRow>()
  readonly #sums = new Map<string, number>()
  readonly #running = new Map<string, string | null>()
  /** The amounts that requests without an answer have left reserved, by key. */
  readonly #held = new Map<string, number>()
  readonly #highestCharge = new Map<string, number>()
  readonly #chargedTags = new Map<string, string>()
  readonly #compared = new Set<string>()

  constructor(expectations: Expectations, findings: Findings) {
    this.#expectations = expectations
    this.#findings = findings
  }

  /** Reads the new rows of the log and compares. `full`: also reads every earlier row again, which must not have changed. */
  async run(client: Client, admin: string, full = false): Promise<void> {
    await this.#readUntilQuiet(client, admin, full)
    for (const [id, client] of this.#running) this.#findings.add('rows left running', `${id} (${client})`)
    const { data: keys } = KeyList.parse(await client.read('/v1/keys', admin))
    const account = Account.parse(await client.read('/v1/account', admin))
    for (const key of keys) this.#checkKey(key)
    const spent = keys.reduce((sum, key) => sum + usdToNano(key.spendUsd), 0)
    if (spent !== usdToNano(account.spendUsd)) {
      this.#findings.add(
        'ledger totals that differ',
        `account ${usdToNano(account.spendUsd)} n$, its keys ${spent} n$`,
      )
    }
    if (usdToNano(account.reservedUsd) !== this.#heldInAll())
      this.#findings.add(
        'reservations without a request that has left them',
        `account: $${account.reservedUsd}`,
      )
    this.#checkAcknowledged()
  }

  /** Until nothing is reserved but what the rows say. */
  async #readUntilQuiet(client: Client, admin: string, full: boolean): Promise<void> {
    const until = performance.now() + QUIET_MS
    await this.#readRows(client, admin, full)
    while (performance.now() < until) {
      const { reservedUsd } = Account.parse(await client.read('/v1/account', admin))
      if (usdToNano(reservedUsd) === this.#heldInAll()) return
      await delay(50)
      await this.#readRows(client, admin, false)
    }
  }

  #heldInAll(): number {
    return [...this.#held.values()].reduce((sum, nano) => sum + nano, 0)
  }

  async #readRows(client: Client, admin: string, full: boolean): Promise<void> {
    this.#running.clear()
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
    if (row.status === 'running') {
      this.#running.set(row.id, row.client)
      return false
    }
    const nano = usdToNano(row.costUsd ?? 0)
    const { status, costStatus, client, keyId } = row
    const known = this.#rows.get(row.id)
    if (known) {
      if (known.nano !== nano || known.status !== status)
        this.#findings.add('ledger totals that differ', `${row.id} changed: ${known.nano} n$ to ${nano} n$`)
      return false
    }
    this.#rows.set(row.id, { keyId, nano, client, status, costStatus })
    this.#sums.set(keyId, (this.#sums.get(keyId) ?? 0) + nano)
    this.#held.set(keyId, (this.#held.get(keyId) ?? 0) + usdToNano(row.heldUsd ?? 0))
    this.#highestCharge.set(keyId, Math.max(this.#highestCharge.get(keyId) ?? 0, nano))
    if (nano < 0) this.#findings.add('negative charges', `${row.id}: ${nano} n$`)
    if (nano > 0 && client !== null) this.#checkTag(row.id, client)
    return true
  }

  #checkTag(id: string, tag: string): void {
    const other = this.#chargedTags.get(tag)
    if (other !== undefined) this.#findings.add('charges doubled', `${tag}: ${other} and ${id}`)
    this.#chargedTags.set(tag, id)
  }

  #checkKey({ id, name, spendUsd, reservedUsd }: KeyMetadata): void {
    const nano = usdToNano(spendUsd)
    const sum = this.#sums.get(id) ?? 0
    if (nano !== sum)
      this.#findings.add('ledger totals that differ', `key ${name}: ${nano} n$, its rows ${sum} n$`)
    if (usdToNano(reservedUsd) !== (this.#held.get(id) ?? 0))
      this.#findings.add('reservations without a request that has left them', `key ${name}: $${reservedUsd}`)
    const cap = this.#expectations.keys.find((key) => key.id === id)?.highestCapUsd
    if (cap == null) return
    const most = usdToNano(cap) + (this.#highestCharge.get(id) ?? 0)
    if (nano > most)
      this.#findings.add(
        'caps exceeded by more than one request',
        `key ${name}: $${spendUsd} under a cap of $${cap}`,
      )
  }

  #checkAcknowledged(): void {
    for (const [requestId, { call, cost, expectedNano }] of this.#expectations.acknowledged) {
      if (this.#compared.has(requestId)) continue
      this.#compared.add(requestId)
      const row = this.#rows.get(requestId)
      if (!row) this.#findings.add('acknowledged charges lost', `${requestId} (${call.tag}), $${cost}`)
      else if (formatUsdHeader(row.nano) !== cost)
        this.#findings.add(
          'acknowledged charges that differ from the reported cost',
          `${requestId} (${call.tag}): received $${cost}, recorded ${row.nano} n$`,
        )
      else if (expectedNano !== null && row.nano !== expectedNano)
        this.#findings.add(
          'charges that differ from the reported usage',
          `${requestId} (${call.tag}): ${row.nano} n$, not ${expectedNano} n$`,
        )
    }
  }
}
