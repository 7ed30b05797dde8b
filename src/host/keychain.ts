// Owns how provider credentials go in and out of the operating system's keychain. Knows nothing of providers.
// The native module loads at the first call: a machine without a keychain can still run everything else.
import { createRequire } from 'node:module'
import { type CredentialStore, CredentialStoreError } from '../gateway/providers/credential-store.ts'
import { errorMessage } from '../shared/error-message.ts'
import { MAX_CREDENTIAL_BYTES } from '../shared/providers.ts'

export interface Keychain {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
}

/** The name under which the keychain shows our entries. */
export const KEYCHAIN_SERVICE = 'Tollgate'

const CALL_LIMIT_MS = 10_000
/** Account and secret of the entry that is written only to see whether the keychain takes it. */
const PROBE = 'unlocked?'
const TOO_LONG = `A keychain holds at most ${MAX_CREDENTIAL_BYTES} bytes in one entry; this credential is longer.`

export interface KeychainOptions {
  load?: () => Keychain
  limitMs?: number
}

/**
 * Credentials in the OS keychain. Calls run one after the other, each for at most 10 s: an unlock prompt that nobody
 * answers must not hold a request for ever. A call that overran still occupies the keychain; until it ends, others
 * fail at once. `set` reads back what it wrote and compares: some keychains lose writes silently. An entry that seems
 * missing is told from one that is locked away by writing another one.
 */
export function keychainCredentials(options: KeychainOptions = {}): CredentialStore {
  const { load = loadKeytar, limitMs = CALL_LIMIT_MS } = options
  let keychain: Keychain | null = null
  let last: Promise<unknown> = Promise.resolve()
  let overrun = false

  const call = <T>(work: (keychain: Keychain) => Promise<T>): Promise<T> => {
    const turn = last.then(async () => {
      if (overrun) throw new CredentialStoreError(UNANSWERED)
      try {
        keychain ??= load()
      } catch (error) {
        throw new CredentialStoreError(explainMissing(process.platform), { cause: error })
      }
      const answer = work(keychain)
      return await withinLimit(answer, limitMs, () => {
        overrun = true
        const over = () => {
          overrun = false
        }
        answer.then(over, over)
      })
    })
    last = turn.catch(() => {})
    return turn.catch((error: unknown) => {
      throw error instanceof CredentialStoreError ? error : explain(error)
    })
  }

  const read = (account: string) => call((chain) => chain.getPassword(KEYCHAIN_SERVICE, account))
  const write = async (account: string, secret: string): Promise<void> => {
    await call((chain) => chain.setPassword(KEYCHAIN_SERVICE, account, secret))
    if ((await read(account)) !== secret) {
      throw new CredentialStoreError(
        'The keychain took the credential but does not give it back; unlock it and save the credential again.',
      )
    }
  }
  const erase = (account: string) => call((chain) => chain.deletePassword(KEYCHAIN_SERVICE, account))
  // A locked keyring on Linux says of every entry that there is none; but it takes no new one.
  const refuseLocked = async (): Promise<void> => {
    await call((chain) => chain.setPassword(KEYCHAIN_SERVICE, PROBE, PROBE))
    await erase(PROBE)
  }
  return {
    kind: 'keychain',
    async get(account) {
      const secret = await read(account)
      if (secret === null) await refuseLocked()
      return secret
    },
    async set(account, secret) {
      if (Buffer.byteLength(secret) > MAX_CREDENTIAL_BYTES) throw new CredentialStoreError(TOO_LONG)
      await write(account, secret)
    },
    async delete(account) {
      if (!(await erase(account))) await refuseLocked()
    },
  }
}

const UNANSWERED = 'The keychain does not answer; unlock it, or answer the question it asks, and try again.'

function loadKeytar(): Keychain {
  return createRequire(import.meta.url)('@github/keytar')
}

async function withinLimit<T>(answer: Promise<T>, limitMs: number, onOverrun: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      onOverrun()
      reject(new CredentialStoreError(UNANSWERED))
    }, limitMs)
  })
  try {
    return await Promise.race([answer, limit])
  } finally {
    clearTimeout(timer)
  }
}

function explainMissing(platform: NodeJS.Platform): string {
  if (platform !== 'linux') return 'The keychain of this system cannot be reached.'
  return (
    'The keychain cannot be reached because libsecret is not installed; install the package libsecret-1-0 ' +
    '(libsecret on Fedora and Arch) and a keyring such as gnome-keyring or KWallet, then start Tollgate again.'
  )
}

// What libsecret and GDBus say, in their own words, for the three ways in which a Linux session has no usable keyring.
const NO_BUS = /autolaunch D-Bus|DBUS_SESSION_BUS_ADDRESS|Could not connect|Connection refused/i
const NO_SERVICE = /org\.freedesktop\.secrets|ServiceUnknown/i
const LOCKED = /locked|prompt|dismissed|Object does not exist/i

function explain(cause: unknown): CredentialStoreError {
  const said = errorMessage(cause)
  const because = NO_BUS.test(said)
    ? 'The keychain cannot be reached because this session has no D-Bus session bus; sign in to a desktop session, or start Tollgate under dbus-run-session.'
    : LOCKED.test(said)
      ? 'The keychain is locked or has no default keyring; unlock it (on GNOME in “Passwords and Keys”) and try again.'
      : NO_SERVICE.test(said)
        ? 'No keyring is running in this session; install and start gnome-keyring or KWallet, then try again.'
        : `The keychain refused: ${said}`
  return new CredentialStoreError(because, { cause })
}
