// The key with which this installation signs receipts: created when it is first needed, and never sent anywhere.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Install } from '../../../shared/api/receipts.ts'
import { type CredentialStore, CredentialStoreError } from '../../models/providers/credential-store.ts'
import type { Clock } from '../../platform/clock.ts'
import { writeFileAtomic } from '../../platform/durable-files.ts'
import { serverError } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { SerialQueue } from '../../platform/wait.ts'
import { regularFile } from '../../store/engine/files.ts'
import type { Store } from '../../store/store.ts'
import { importPublicKey, publicKey, thumbprint } from './public-key.ts'

/** The name under which the settings have the public keys, the newest first. */
export const INSTALL_KEYS = 'installKeys'
const Secret = z.object({ d: z.string(), x: z.string() })
const PublicKeys = z.array(z.object({ x: z.string(), createdAt: z.number() })).catch([])

interface Deps {
  store: Store
  clock: Clock
  log: Log
  credentials: CredentialStore
  dataDir: string
  installId: string
  /** The value of the setting `INSTALL_KEYS`. */
  stored: unknown
}

export interface SigningKey {
  id: string
  x: string
  privateKey: KeyObject
}

export class InstallKey {
  readonly #deps: Deps
  readonly #path: string
  /** No provider has an id that begins with `#`. */
  readonly #account: string
  readonly #reads = new SerialQueue()
  #known: z.infer<typeof PublicKeys>
  #key: SigningKey | null = null

  constructor(deps: Deps) {
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
