import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import {
  type Install,
  RECEIPT_FORMAT,
  RECEIPT_VERSION,
  type Receipt,
  type ReceiptCheck,
  SUM_RECEIPT_FORMAT,
  type SumReceipt,
  type SumReceiptQuery,
} from '../../../shared/api/receipts.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { Session } from '../../../shared/api/sessions.ts'
import { countedLines, type ItemizedCost, itemizeCost } from '../../../shared/money/cost-lines.ts'
import { type NanoUsd, nanoToUsd, nanoUsd, usdToNano } from '../../../shared/money/money.ts'
import { dayName, dayStart, monthSpan } from '../../../shared/values/calendar.ts'
import { type CredentialStore, CredentialStoreError } from '../../models/providers/credential-store.ts'
import { type Clock, formatTime } from '../../platform/clock.ts'
import { writeFileAtomic } from '../../platform/durable-files.ts'
import { invalidRequest, serverError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { SerialQueue } from '../../platform/wait.ts'
import type { Settings } from '../../settings/settings.ts'
import { regularFile } from '../../store/engine/files.ts'
import type { Store, StoredConfirmation } from '../../store/store.ts'
import type { Records } from '../request-log/records.ts'
import type { SessionLog } from '../request-log/session-log.ts'
import type { UsageSums } from '../request-log/usage-sums.ts'
import { importPublicKey, publicKey, thumbprint } from './public-key.ts'
import { signedBytes, verifyReceipt } from './verify-receipt.ts'

// The key with which this installation signs receipts: created when it is first needed, and never sent anywhere.

/** The name under which the settings have the public keys, the newest first. */
export const INSTALL_KEYS = 'installKeys'
const Secret = z.object({ d: z.string(), x: z.string() })
const PublicKeys = z.array(z.object({ x: z.string(), createdAt: z.number() })).catch([])

interface InstallKeyDeps {
  store: Store
  clock: Clock
  log: Log
  credentials: CredentialStore
  dataDir: string
  installId: string
  /** The value of the setting `INSTALL_KEYS`. */
  stored: unknown
}

interface SigningKey {
  id: string
  x: string
  privateKey: KeyObject
}

export class InstallKey {
  readonly #deps: InstallKeyDeps
  readonly #path: string
  /** No provider has an id that begins with `#`. */
  readonly #account: string
  readonly #reads = new SerialQueue()
  #known: z.infer<typeof PublicKeys>
  #key: SigningKey | null = null

  constructor(deps: InstallKeyDeps) {
    this.#deps = deps
    this.#path = join(deps.dataDir, 'receipt-key.json')
    this.#account = `${deps.installId}/#receipts`
    this.#known = PublicKeys.parse(deps.stored)
  }

  /** Throws 503 if the keychain cannot be used now: another key in its place would be another installation. */
  get(): Promise<SigningKey> {
    return this.#reads.run(async () => {
      this.#key ??= await this.#load().catch((error: unknown) => {
        if (error instanceof CredentialStoreError)
          throw serverError(error.message, 503, 'credentials_unavailable')
        throw error
      })
      return this.#key
    })
  }

  async describe(): Promise<Install> {
    const { x } = await this.get()
    const [current, ...earlier] = this.#known
    return {
      ...describeKey({ x, createdAt: current?.createdAt ?? 0 }),
      storedIn: this.#deps.credentials.kind === 'keychain' ? 'keychain' : 'file',
      earlier: earlier.map(describeKey),
    }
  }

  /** Whether this is, or was, the key of this installation. */
  isOurs(id: string): boolean {
    return this.#known.some(({ x }) => thumbprint(publicKey(x)) === id)
  }

  async #load(): Promise<SigningKey> {
    const stored = (await this.#readKeychain()) ?? (await this.#readFile())
    if (stored) return this.#remember(stored)
    if (this.#known.length > 0)
      this.#deps.log.warn('The key that signed receipts is gone; a new one is made.')
    const created = createSecret()
    await this.#write(JSON.stringify(created))
    return this.#remember(created)
  }

  async #readKeychain(): Promise<z.infer<typeof Secret> | null> {
    const { credentials } = this.#deps
    if (credentials.kind !== 'keychain') return null
    const text = await credentials.get(this.#account)
    return text === null ? null : parseSecret(text)
  }

  /** Moves the key to the keychain, once there is one. */
  async #readFile(): Promise<z.infer<typeof Secret> | null> {
    if (!regularFile(this.#path)) return null
    const text = readFileSync(this.#path, 'utf8')
    const secret = parseSecret(text)
    if (secret && this.#deps.credentials.kind === 'keychain') {
      await this.#write(text)
      rmSync(this.#path)
    }
    return secret
  }

  /** Without a keychain, the key is in a file that only its owner can read: a program that runs as them could sign anyway. */
  async #write(text: string): Promise<void> {
    const { credentials } = this.#deps
    if (credentials.kind === 'keychain') await credentials.set(this.#account, text)
    else writeFileAtomic(this.#path, text)
  }

  async #remember({ d, x }: z.infer<typeof Secret>): Promise<SigningKey> {
    const { store, clock } = this.#deps
    if (this.#known[0]?.x !== x) {
      const before = this.#known.find((key) => key.x === x)
      const next = [before ?? { x, createdAt: clock.now() }, ...this.#known.filter((key) => key.x !== x)]
      await store.write('putSettings', [{ name: INSTALL_KEYS, value: next }])
      this.#known = next
    }
    const privateKey = createPrivateKey({ key: { ...publicKey(x), d }, format: 'jwk' })
    return { id: thumbprint(publicKey(x)), x, privateKey }
  }
}

function describeKey({ x, createdAt }: { x: string; createdAt: number }) {
  const key = publicKey(x)
  return { id: thumbprint(key), publicKey: key, createdAt: new Date(createdAt).toISOString() }
}

function createSecret(): z.infer<typeof Secret> {
  return Secret.parse(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }))
}

/** Null for a text that is not a key. */
function parseSecret(text: string): z.infer<typeof Secret> | null {
  try {
    const secret = Secret.parse(JSON.parse(text))
    return importPublicKey(publicKey(secret.x)) ? secret : null
  } catch {
    return null
  }
}

interface Issuer {
  id: string
  x: string
  software: string
}

function describeIssuer({ id, x, software }: Issuer, issuedAt: number) {
  return {
    version: RECEIPT_VERSION,
    issuer: { id, publicKey: publicKey(x), software },
    issuedAt: formatTime(issuedAt),
  } as const
}

function hashKey(issuer: Issuer, keyId: string): string {
  return createHash('sha256').update(`${issuer.id} ${keyId}`).digest('base64url')
}

interface Parts {
  record: RequestRecord
  confirmation: StoredConfirmation | null
  issuer: Issuer
  /** Whether it has names that the user chose. */
  names: boolean
  issuedAt: number
}

/**
 * A receipt is shown to others: it has no prompt, no answer, no error text (providers quote prompts there), and of the key
 * only a hash, unless `names` is set.
 */
function createReceipt({ record, confirmation, issuer, names, issuedAt }: Parts): Omit<Receipt, 'signature'> {
  const { price } = record
  return {
    format: RECEIPT_FORMAT,
    ...describeIssuer(issuer, issuedAt),
    request: {
      id: record.id,
      createdAt: record.createdAt,
      endpoint: record.endpoint,
      stream: record.stream,
      status: record.status,
      httpStatus: record.httpStatus,
      errorType: record.error?.type ?? null,
      errorCode: record.error?.code ?? null,
      count: record.count,
      keyHash: hashKey(issuer, record.keyId),
      requestedModel: record.requestedModel,
      model: record.model,
      provider: record.provider,
      names: names ? { key: record.keyName, client: record.clientName, tag: record.tag } : null,
    },
    timings: record.timings,
    attempts: record.attempts.map(({ provider, model, status, ms, error }) => ({
      provider,
      model,
      httpStatus: status,
      ms,
      failed: error !== null,
    })),
    cost: computeCost(record, confirmation),
    price: price && {
      origin: price.origin,
      tier: price.tier ?? null,
      plan: price.plan,
      discountPercent: price.discountPercent,
      reportedByProvider: price.reportedByProvider,
    },
  }
}

function computeCost(record: RequestRecord, confirmation: StoredConfirmation | null): Receipt['cost'] {
  const { costUsd, worthUsd, savedUsd, costLowUsd, costHighUsd } = record
  const nano = costUsd === null ? null : usdToNano(costUsd)
  return {
    status: record.costStatus,
    nano,
    usd: costUsd,
    ...(worthUsd !== null && { worthNano: usdToNano(worthUsd) }),
    ...(savedUsd !== null && { savedNano: usdToNano(savedUsd) }),
    lowNano: costLowUsd === null ? null : usdToNano(costLowUsd),
    highNano: costHighUsd === null ? null : usdToNano(costHighUsd),
    ...listItems(record, nano),
    confirmation: confirmation && {
      at: formatTime(confirmation.at),
      from: confirmation.from,
      beforeNano: confirmation.beforeNano,
      lowNano: confirmation.lowNano,
      highNano: confirmation.highNano,
      by: confirmation.reconciliationId === null ? 'user' : 'reconciliation',
    },
  }
}

function listItems({ usage, price, costStatus }: RequestRecord, nano: NanoUsd | null): ItemizedCost {
  const isPriced = costStatus !== 'confirmed' && costStatus !== 'plan'
  if (usage && price && nano !== null && isPriced) return itemizeCost(usage, price, nano)
  // A confirmed amount is the provider's bill, whose tokens have no price here; nor have those that a plan pays for.
  return {
    lines: usage ? countedLines(usage) : [],
    reportedNano: null,
    discount: null,
    otherNano: nano === null || nano === 0 ? null : String(nano),
    roundingNano: null,
  }
}

/** The line of the requests whose records are deleted: what the sums of the session have beyond the lines. None before that. */
function describeDeleted(
  session: Session,
  counted: readonly SumReceipt['lines'][number][],
): SumReceipt['lines'] {
  if (session.prunedRequests === 0) return []
  const rest = (total: number, of: 'requests' | 'tokensIn' | 'tokensOut' | 'nano') =>
    total - counted.reduce((sum, line) => sum + line[of], 0)
  return [
    {
      ...{ model: '', provider: '', requests: rest(session.requests, 'requests') },
      ...{ tokensIn: rest(session.tokensIn, 'tokensIn'), tokensOut: rest(session.tokensOut, 'tokensOut') },
      nano: rest(usdToNano(session.costUsd) - usdToNano(session.sampleUsd), 'nano'),
    },
  ]
}

function describeSession(session: Session, issuer: Issuer, names: boolean): SumReceipt['of'] {
  const { id, startedAt, lastAt, keyId, keyName, clientName, tag } = session
  return {
    ...{ kind: 'session', id, startedAt, lastAt, keyHash: hashKey(issuer, keyId) },
    names: names ? { key: keyName, client: clientName, tag } : null,
  }
}

interface ReceiptDeps {
  store: Store
  records: Records
  clock: Clock
  settings: Settings
  sessionLog: SessionLog
  usageSums: UsageSums
  key: InstallKey
  version: string
}

export class Receipts {
  readonly #deps: ReceiptDeps

  constructor(deps: ReceiptDeps) {
    this.#deps = deps
  }

  /** Throws 404, 400 while the request runs, and 503 if the signing key cannot be read. */
  async receipt(id: string, options: { names: boolean }): Promise<Receipt> {
    const { store, records, clock } = this.#deps
    const record = await records.get(id)
    if (record.status === 'running') {
      throw invalidRequest('This request is still running. Its receipt is available when it has ended.', {
        code: 'request_running',
      })
    }
    const confirmation = await store.read('getConfirmation', record.id)
    return this.#sign((issuer) =>
      createReceipt({ record, confirmation, issuer, ...options, issuedAt: clock.now() }),
    )
  }

  /** The sums of a session, or of a month so far. Throws 404 for an unknown session, and 503 like `receipt`. */
  async sum(query: SumReceiptQuery): Promise<SumReceipt> {
    const { clock, settings, sessionLog, usageSums, records } = this.#deps
    const { session: id } = query
    const now = clock.now()
    const { timeZone } = settings
    const month = query.month ?? dayName(now, timeZone).slice(0, 7)
    const span = monthSpan(dayStart(`${month}-01`, timeZone), timeZone)
    const range = { from: formatTime(span.start), to: formatTime(span.end) }
    const filter = id === undefined ? range : { session: id }
    const { data } = await usageSums.read({
      groupBy: 'model',
      splitBy: 'provider',
      latency: 'false',
      ...filter,
    })
    // After the lines, so that what is settled in between is in its sums.
    const session = id === undefined ? null : await sessionLog.get(id)
    const counted = data.map((row) => ({
      ...{ model: row.group, provider: row.split ?? '', requests: row.requests },
      ...{ tokensIn: row.tokensIn, tokensOut: row.tokensOut, nano: usdToNano(row.costUsd) },
    }))
    const lines = [...counted, ...(session ? describeDeleted(session, counted) : [])].sort(
      (a, b) => b.nano - a.nano || a.model.localeCompare(b.model),
    )
    const nano = nanoUsd(lines.reduce((sum, line) => sum + line.nano, 0))
    const total = {
      requests: lines.reduce((sum, { requests }) => sum + requests, 0),
      ...{
        nano,
        usd: nanoToUsd(nano),
        unpriced: session?.unpriced ?? data.reduce((sum, { unpriced }) => sum + unpriced, 0),
      },
      unsettled: (await records.totals(filter)).unsettled,
    }
    return this.#sign((issuer) => ({
      format: SUM_RECEIPT_FORMAT,
      ...describeIssuer(issuer, now),
      of:
        session === null
          ? { kind: 'month', month, timeZone, over: span.end <= now }
          : describeSession(session, issuer, query.names === 'true'),
      ...{ lines, total },
    }))
  }

  async #sign<Unsigned extends Readonly<Record<string, unknown>>>(
    create: (issuer: Issuer) => Unsigned,
  ): Promise<Unsigned & { signature: string }> {
    const { key, version } = this.#deps
    const { id, x, privateKey } = await key.get()
    const unsigned = create({ id, x, software: `Tollgate ${version}` })
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
