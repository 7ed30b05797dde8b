// Composition root of both hosts: the data dir and its lock, the credential store, the gateway. Knows nothing of
// windows, flags or terminals.

import { createGateway, type Gateway, type Listening } from '../gateway/gateway.ts'
import type { Log } from '../gateway/platform/log.ts'
import type { CredentialStore } from '../gateway/providers/credential-store.ts'
import { lockDataDir } from '../gateway/store/lock.ts'
import { prepareDataDir } from './data-dir.ts'
import { credentialEnvironment, envCredentials } from './env-credentials.ts'
import { keychainCredentials } from './keychain.ts'
import { memoryCredentials } from './memory-credentials.ts'

export { type Gateway, PortTakenError } from '../gateway/gateway.ts'
export type { Log } from '../gateway/platform/log.ts'
export { DataDirHeldError } from '../gateway/store/lock.ts'

export const DEFAULT_PORT = 8655

export interface HostOptions {
  dataDir: string
  version: string
  credentials: CredentialStore['kind']
  /** Built interface files for a browser on this machine; null serves none. */
  interfaceDir: string | null
  createAdminKey: boolean
  /** Which program holds the data dir, for whoever else wants it. */
  program: 'desktop' | 'serve'
  log: Log
  /** The ledger cannot be written any more; the program should say `reason` and end. */
  onFatal: (reason: string) => void
}

export interface Host {
  readonly gateway: Gateway
  readonly dataDir: string
  readonly version: string
  /** Where the gateway listens; null when it does not. */
  listening(): Listening | null
  /** Listens on `port`, and no longer on an earlier one. Throws PortTakenError; then nothing is listened on. */
  listen(port: number): Promise<Listening>
  /** Settles what runs, then gives the data dir free. Can be called again. */
  close(): Promise<void>
}

/**
 * Takes the data dir and opens the gateway on it, without listening yet. Throws DataDirError, DataDirHeldError, and
 * whatever the gateway refuses to open.
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const { dataDir, version, log } = options
  prepareDataDir(dataDir)
  const startedAt = new Date().toISOString()
  const lock = lockDataDir(dataDir, { pid: process.pid, program: options.program, startedAt })
  let gateway: Gateway
  try {
    gateway = await createGateway({
      dataDir,
      version,
      credentials: credentialStores[options.credentials](),
      environment: credentialEnvironment(),
      log,
      interfaceDir: options.interfaceDir,
      createAdminKey: options.createAdminKey,
      onFatal: (error) => options.onFatal(error.message),
    })
    lock.noteLedger()
  } catch (error) {
    lock.release()
    throw error
  }

  let listening: Listening | null = null
  const listen = async (port: number) => {
    if (listening) await gateway.stopListening()
    listening = null
    listening = await gateway.listen(port)
    lock.note({ baseUrl: listening.baseUrl })
    log.info(`listening on ${listening.baseUrl}`)
    return listening
  }
  let closing: Promise<void> | null = null
  const close = async () => {
    try {
      await gateway.close()
    } finally {
      listening = null
      lock.release()
    }
  }
  return {
    gateway,
    dataDir,
    version,
    listening: () => listening,
    listen,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

const credentialStores: Record<CredentialStore['kind'], () => CredentialStore> = {
  keychain: () => keychainCredentials(),
  memory: memoryCredentials,
  env: () => envCredentials(),
}
