// The native module is loaded at the first call, so that Tollgate runs on machines without a keychain.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type CredentialStore, CredentialStoreError, noteNativeCall } from '../gateway/compose/host-api.ts'
import { MAX_CREDENTIAL_BYTES } from '../shared/api/providers.ts'
import { errorMessage } from '../shared/values/text.ts'

export interface Keychain {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
}

/**
 * Whether this computer may have a keychain: the native module can be loaded, and on Linux there is a session bus over which a
 * keyring is reached. Whether it is unlocked is only known when it is used.
 */
export function hasKeychain({
  platform = process.platform,
  env = process.env,
  load = loadKeytar,
}: {
  platform?: NodeJS.Platform
  env?: Readonly<Record<string, string | undefined>>
  load?: () => Keychain
} = {}): boolean {
  const hasBus = Boolean(env.DBUS_SESSION_BUS_ADDRESS) || existsSync(`${env.XDG_RUNTIME_DIR}/bus`)
  if (platform === 'linux' && !hasBus) return false
  try {
    load()
    return true
  } catch {
    return false
  }
}

/** The service name of the entries, which keychain programs show. */
export const KEYCHAIN_SERVICE = 'Tollgate'

const CALL_LIMIT_MS = 10_000
/** Account and secret of an entry that is only written to test whether the keychain is unlocked. */
const PROBE = 'unlocked?'
const TOO_LONG = `This credential is too long: a keychain entry can have at most ${MAX_CREDENTIAL_BYTES} bytes.`

export interface KeychainOptions {
  load?: () => Keychain
  limitMs?: number
}

/**
 * Credentials in the OS keychain. Calls run one after the other, each for at most 10 s, so that an unanswered unlock prompt
 * does not block a request forever. After a time-out, calls fail immediately until the keychain has responded. `set` reads the
 * entry back, because some keychains lose writes silently. When an entry is missing, a test entry is written to find out
 * whether the keychain is locked.
 */
export function keychainCredentials(options: KeychainOptions = {}): CredentialStore {
  const { load = loadKeytar, limitMs = CALL_LIMIT_MS } = options
  let keychain: Keychain | null = null
  let last: Promise<unknown> = Promise.resolve()
  let timedOut = false

  const call = <T>(work: (keychain: Keychain) => Promise<T>): Promise<T> => {
    const result = last.then(async () => {
      if (timedOut) throw new CredentialStoreError(NO_RESPONSE)
      try {
        keychain ??= load()
      } catch (error) {
        throw new CredentialStoreError(explainMissing(process.platform), { cause: error })
      }
      const response = work(keychain)
      noteNativeCall(response)
      return await withTimeout(response, limitMs, () => {
        timedOut = true
        const onResponse = () => {
          timedOut = false
        }
        response.then(onResponse, onResponse)
      })
    })
    last = result.catch(() => {})
    return result.catch((error: unknown) => {
      throw error instanceof CredentialStoreError ? error : explain(error)
    })
  }

  const read = (account: string) => call((chain) => chain.getPassword(KEYCHAIN_SERVICE, account))
  const write = async (account: string, secret: string): Promise<void> => {
    await call((chain) => chain.setPassword(KEYCHAIN_SERVICE, account, secret))
    if ((await read(account)) !== secret) {
      throw new CredentialStoreError(
        'The keychain accepted the credential but did not store it. Unlock the keychain and save the credential again.',
      )
    }
  }
  const erase = (account: string) => call((chain) => chain.deletePassword(KEYCHAIN_SERVICE, account))
  // A locked keyring on Linux reports every entry as missing, but accepts no new one.
  const throwIfLocked = async (): Promise<void> => {
    await call((chain) => chain.setPassword(KEYCHAIN_SERVICE, PROBE, PROBE))
    await erase(PROBE)
  }
  return {
    kind: 'keychain',
    async get(account) {
      const secret = await read(account)
      if (secret === null) await throwIfLocked()
      return secret
    },
    async set(account, secret) {
      if (Buffer.byteLength(secret) > MAX_CREDENTIAL_BYTES) throw new CredentialStoreError(TOO_LONG)
      await write(account, secret)
    },
    async delete(account) {
      if (!(await erase(account))) await throwIfLocked()
    },
  }
}

const NO_RESPONSE = 'The keychain does not respond. Unlock it or answer its prompt, then try again.'

function loadKeytar(): Keychain {
  return createRequire(import.meta.url)('@github/keytar')
}

async function withTimeout<T>(response: Promise<T>, limitMs: number, onTimeout: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      onTimeout()
      reject(new CredentialStoreError(NO_RESPONSE))
    }, limitMs)
  })
  try {
    return await Promise.race([response, limit])
  } finally {
    clearTimeout(timer)
  }
}

function explainMissing(platform: NodeJS.Platform): string {
  if (platform !== 'linux') return 'The keychain of this system cannot be reached.'
  return (
    'The keychain cannot be reached because libsecret is not installed. Install the package libsecret-1-0 ' +
    '(libsecret on Fedora and Arch) and a keyring such as gnome-keyring or KWallet, then restart Tollgate.'
  )
}

// The messages of libsecret and GDBus for the three reasons why a Linux session has no usable keyring.
const NO_BUS = /autolaunch D-Bus|DBUS_SESSION_BUS_ADDRESS|Could not connect|Connection refused/i
const NO_SERVICE = /org\.freedesktop\.secrets|ServiceUnknown/i
const LOCKED = /locked|prompt|dismissed|Object does not exist/i

function explain(cause: unknown): CredentialStoreError {
  const message = errorMessage(cause)
  const explanation = NO_BUS.test(message)
    ? 'The keychain cannot be reached because this session has no D-Bus session bus. Sign in to a desktop session, or start Tollgate with dbus-run-session.'
    : LOCKED.test(message)
      ? 'The keychain is locked or has no default keyring. Unlock it (on GNOME in “Passwords and Keys”) and try again.'
      : NO_SERVICE.test(message)
        ? 'No keyring is running in this session. Install and start gnome-keyring or KWallet, then try again.'
        : `The keychain reported an error: ${message}`
  return new CredentialStoreError(explanation, { cause })
}
