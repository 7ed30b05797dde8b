// The composition of the whole gateway, and all that its hosts may know of it. Knows nothing of Electron or the CLI.
import type { LiveEvent } from '../shared/requests.ts'
import type { Clock } from './clock.ts'
import type { CredentialStore } from './credentials.ts'
import type { Log } from './log.ts'

export interface GatewayOptions {
  /** An existing folder with mode 0700 that this process alone owns (the host holds its lock). */
  dataDir: string
  version: string
  credentials: CredentialStore
  log: Log
  /** Built interface files to serve at `/` for a browser on this machine; null serves none. */
  interfaceDir: string | null
  /** Makes an admin key when the data dir is empty; its secret is then `Gateway.adminKey`. */
  createAdminKey: boolean
  clock?: Clock
}

export interface Listening {
  port: number
  /** `http://127.0.0.1:PORT` */
  baseUrl: string
}

/** The wanted port is held by another program. */
export class PortTakenError extends Error {
  override name = 'PortTakenError'
  readonly port: number
  constructor(port: number) {
    super(`Port ${port} on the loopback interface is used by another program.`)
    this.port = port
  }
}

export interface Gateway {
  /** The first admin key's secret, once, when this start made it. */
  readonly adminKey: string | null
  /** Binds 127.0.0.1 and, where the machine has it, ::1. Port 0 takes any free one. Throws PortTakenError. */
  listen(port: number): Promise<Listening>
  /** Frees the port; the window door goes on working. */
  stopListening(): Promise<void>
  /** Answers a request as the owner of this machine: the window's door. No network request can come in here. */
  fetchAsOwner(request: Request): Promise<Response>
  /** Calls `listener` for every live event until the returned function is called. */
  subscribe(listener: (event: LiveEvent) => void): () => void
  /** Refuses new requests, gives running ones up to 5 s, settles what is left, checkpoints and closes. */
  close(): Promise<void>
}
