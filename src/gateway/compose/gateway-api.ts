// The contract between a host and the gateway.
import type { LiveEvent } from '../../shared/api/events.ts'
import type { Bridge } from '../http/container-listener.ts'
import type { ListenAddress } from '../http/listen.ts'
import type { NetworkAccess } from '../http/origin-guard.ts'
import type { CredentialEnvironment, CredentialStore } from '../models/providers/credential-store.ts'
import type { Clock } from '../platform/clock.ts'
import type { EventType } from '../platform/events.ts'
import type { Log } from '../platform/log.ts'
import type { StoreError } from '../store/store.ts'
import type { SystemNetwork } from '../upstream/network/system-network.ts'

export type { SystemNetwork } from '../upstream/network/system-network.ts'

export interface GatewayOptions {
  /** An existing folder with mode 0700, which only this process uses (the host holds its lock). */
  dataDir: string
  version: string
  credentials: CredentialStore
  /** Where the user may already have credentials to import. */
  environment?: CredentialEnvironment
  /** The variables of OpenTelemetry (`OTEL_…`); none where the environment is not to decide what is sent. */
  telemetryEnvironment?: Readonly<Record<string, string | undefined>>
  /** Where to fetch newer prices from, in the price package's format; the package's published address when absent. */
  priceDataUrl?: string
  /** The proxies and authorities of this computer, for those who choose them; none when absent. */
  systemNetwork?: SystemNetwork
  log: Log
  /** Built interface files to serve at `/` for a browser on this machine; null serves none. */
  interfaceDir: string | null
  /** Which other machines can reach the gateway; none when absent. */
  networkAccess?: NetworkAccess
  /** Creates an admin key when the data dir is empty; its secret is then `Gateway.adminKey`. */
  createAdminKey: boolean
  clock?: Clock
  /** Milliseconds until each further attempt to deliver an alert; the usual ones when absent. */
  webhookRetryMs?: readonly number[]
  /** How containers reach this computer; Docker's bridge when absent. */
  findBridge?: () => Bridge
  /** Where coding agents have their logs; the home folder and the environment of this process when absent. */
  agents?: { home: string; env: Readonly<Record<string, string | undefined>> }
  /** The store failed and nothing can be recorded any more. The host should report it and exit. */
  onFatal?: (error: StoreError) => void
}

export interface Gateway {
  /** The secret of the first admin key, if this start created it. */
  readonly adminKey: string | null
  /** Binds 127.0.0.1, if the machine has it ::1, and the address of `networkAccess`. Port 0 binds any free port. Throws PortTakenError. */
  listen(port: number): Promise<ListenAddress>
  /**
   * Serves requests on a Unix socket, with the mode 0600, or a Windows pipe, as the owner of this machine, until `close`.
   * The path is new, and in a folder that only this user can open.
   */
  listenLocally(path: string): Promise<void>
  /** Frees the port; `fetchAsOwner` and the local socket continue to work. */
  stopListening(): Promise<void>
  /** Responds to a request of the window, as the owner of this machine. No network request can reach this. */
  fetchAsOwner(request: Request): Promise<Response>
  /** Calls `listener` for every live event, or those of some types, until the returned function is called. */
  subscribe(listener: (event: LiveEvent) => void, types?: readonly EventType[]): () => void
  /**
   * Refuses new requests, gives those in flight some time (5 s by default, less if `hurry` is aborted), settles the others,
   * checkpoints and closes.
   */
  close(drainMs?: number, hurry?: AbortSignal): Promise<void>
}
