import { sign } from 'node:crypto'
import type { Install, Receipt, ReceiptCheck } from '../../../shared/receipts.ts'
import type { Clock } from '../../platform/clock.ts'
import { invalidRequest } from '../../platform/errors.ts'
import type { Store } from '../../store/store.ts'
import type { Records } from '../request-log/records.ts'
import { createReceipt } from './create-receipt.ts'
import type { InstallKey } from './install-key.ts'
import { signedBytes, verifyReceipt } from './verify-receipt.ts'

interface Deps {
  store: Store
  records: Records
  clock: Clock
  key: InstallKey
  version: string
}

export class Receipts {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Throws 404, 400 while the request runs, and 503 if the signing key cannot be read. */
  async receipt(id: string, options: { names: boolean }): Promise<Receipt> {
    const { store, records, clock, key, version } = this.#deps
    const record = await records.get(id)
    if (record.status === 'running') {
      throw invalidRequest('This request is still running. Its receipt is available when it has ended.', {
        code: 'request_running',
      })
    }
    const confirmation = await store.read('getConfirmation', record.id)
    const { id: issuerId, x, privateKey } = await key.get()
    const issuer = { id: issuerId, x, software: `Tollgate ${version}` }
    const unsigned = createReceipt({ record, confirmation, issuer, ...options, issuedAt: clock.now() })
    const signature = sign(null, signedBytes(unsigned), privateKey).toString('base64url')
    return { ...unsigned, signature }
  }

  async verify(value: Readonly<Record<string, unknown>>): Promise<ReceiptCheck> {
    const checked = verifyReceipt(value)
    return { ...checked, issuedHere: checked.issuerId !== null && this.#deps.key.isOurs(checked.issuerId) }
  }

  install(): Promise<Install> {
    return this.#deps.key.describe()
  }
}
