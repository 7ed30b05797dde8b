// Starts the gateway for the desktop app and for `tollgate serve`.

import {
  type CredentialStore,
  type Gateway,
  type GatewayOptions,
  lockDataDir,
  type NetworkAccess,
} from '../gateway/compose/host-api.ts'
import type { ListenAddress } from '../gateway/compose/start-gateway.ts'

export {
  DataDirHeldError,
  type Gateway,
  type Log,
  readUiFile,
  UI_HEADERS,
} from '../gateway/compose/host-api.ts'
export { PortTakenError, startGateway } from '../gateway/compose/start-gateway.ts'

import { storeCompiledCode } from './code-cache.ts'
import { type RunWatch, watchRun } from './crash-reports.ts'
import { prepareDataDir } from './data-dir.ts'
import { keychainCredentials } from './keychain.ts'
import { prepareSocket } from './local-socket.ts'
import type { HostLog } from './log.ts'
import {
  createMemoryCredentials,
  credentialEnvironment,
  envCredentials,
  readSecretFiles,
} from './provider-secrets.ts'
import { type ResolveProxy, systemNetwork } from './system-network.ts'

export const DEFAULT_PORT = 8655

export interface HostOptions {
  /** Starts the gateway in this thread or another one, which stores reports of its crashes with `record`. */
  startGateway(options: GatewayOptions, record: RunWatch['record']): Promise<Gateway>
  dataDir: string
  version: string
  credentials: CredentialStore['kind']
  /** The built interface to serve to browsers on this machine; null serves none. */
  interfaceDir: string | null
  createAdminKey: boolean
  /** Which other machines can reach the gateway; none when absent. */
  networkAccess?: NetworkAccess
  /** Shown to other programs that try to open the same data dir. */
  program: 'desktop' | 'serve'
  /** Asks the system's settings for a proxy; without it only the environment is asked. */
  resolveProxy?: ResolveProxy
  log: HostLog
  /** Whether native code crashed in the last run, as far as the system saw it. */
  tookDump?: () => boolean
  /** The ledger can no longer be written. The program should show `reason` and exit. */
  onFatal: (reason: string) => void
}

export interface Host {
  readonly gateway: Gateway
  readonly dataDir: string
  readonly version: string
  /** The known crashes. */
  readonly run: RunWatch
  /** The address the gateway listens on; null when it does not listen. */
  listening(): ListenAddress | null
  /** Starts listening on `port` instead of the current port. Throws PortTakenError, and then does not listen at all. */
  listen(port: number): Promise<ListenAddress>
  /**
   * Settles running requests, which get `drainMs` to end unless `hurry` is aborted, and unlocks the data dir. Can be called
   * more than once.
   */
  close(drainMs?: number, hurry?: AbortSignal): Promise<void>
}

/**
 * Locks the data dir and opens the gateway on it, without listening yet. Throws FlagError, DataDirError, DataDirHeldError and
 * the errors of startGateway.
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const { dataDir, version, log } = options
  const credentials = credentialStores[options.credentials]()
  prepareDataDir(dataDir)
  const startedAt = new Date().toISOString()
  const lock = lockDataDir(dataDir, { pid: process.pid, program: options.program, startedAt })
  log.openFile(dataDir)
  const run = watchRun(dataDir, { program: options.program, version }, options.tookDump)
  log.info(
    `Tollgate ${version} starts (${options.program}, Node ${process.versions.node}, ${process.platform})`,
  )
  let gateway: Gateway
  try {
    const gatewayOptions: GatewayOptions = {
      dataDir,
      version,
      credentials,
      environment: credentialEnvironment(),
      // A desktop app inherits variables that were meant for other programs.
      telemetryEnvironment: options.program === 'serve' ? process.env : {},
      systemNetwork: systemNetwork(process.env, options.resolveProxy),
      log,
      interfaceDir: options.interfaceDir,
      createAdminKey: options.createAdminKey,
      ...(options.networkAccess && { networkAccess: options.networkAccess }),
      onFatal: (error) => {
        log.error('The ledger can no longer be written', { err: error })
        run.recordError(error)
        options.onFatal(error.message)
      },
    }
    gateway = await options.startGateway(gatewayOptions, run.record)
    lock.noteLedger()
  } catch (err) {
    log.error('The gateway could not be opened', { err })
    run.end()
    lock.release()
    throw err
  }

  try {
    const socket = prepareSocket(dataDir)
    await gateway.listenLocally(socket)
    lock.note({ socket })
  } catch (err) {
    // Everything else works without it, such as on a file system that has no sockets.
    log.warn('The tollgate command cannot reach this gateway', { err })
  }

  let listening: ListenAddress | null = null
  const listen = async (port: number) => {
    if (listening) await gateway.stopListening()
    listening = null
    listening = await gateway.listen(port)
    lock.note({ baseUrl: listening.baseUrl })
    storeCompiledCode()
    log.info(`Listening on ${listening.baseUrl}`)
    return listening
  }
  let closing: Promise<void> | null = null
  const close = async (drainMs?: number, hurry?: AbortSignal) => {
    try {
      await gateway.close(drainMs, hurry)
      log.info('Closed')
    } finally {
      listening = null
      run.end()
      lock.release()
    }
  }
  return {
    gateway,
    dataDir,
    version,
    run,
    listening: () => listening,
    listen,
    close: (drainMs, hurry) => {
      closing ??= close(drainMs, hurry)
      return closing
    },
  }
}

const credentialStores: Record<CredentialStore['kind'], () => CredentialStore> = {
  keychain: () => keychainCredentials(),
  memory: createMemoryCredentials,
  env: () => envCredentials(readSecretFiles(process.env)),
}
