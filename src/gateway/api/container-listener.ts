// An additional listener for containers, on the address of Docker's bridge. Off until the user enables it.
import type { RequestListener } from 'node:http'
import { networkInterfaces } from 'node:os'
import type { ContainerAccess } from '../../shared/account.ts'
import { errorMessage } from '../../shared/error-message.ts'
import type { Log } from '../platform/log.ts'
import { SerialQueue } from '../platform/serial-queue.ts'
import { CONTAINER_HOST } from './container-requests.ts'
import { type Listeners, PortTakenError } from './listen.ts'

/** How often a missing bridge is looked for: Docker may be started after the gateway. */
const RETRY_MS = 15_000

/**
 * How containers reach this computer: over a bridge, or because their connections come to a listener that is there anyway
 * (Docker Desktop passes them to 127.0.0.1).
 */
export type Bridge = { kind: 'address'; address: string } | { kind: 'forwarded' } | { kind: 'none' }

export function findDockerBridge(platform = process.platform, interfaces = networkInterfaces()): Bridge {
  const found = interfaces.docker0?.find(({ family }) => family === 'IPv4')
  if (found) return { kind: 'address', address: found.address }
  // Docker Desktop runs containers in a virtual machine.
  return platform === 'linux' ? { kind: 'none' } : { kind: 'forwarded' }
}

interface ContainerListenerOptions {
  listeners: Listeners
  handler: RequestListener
  findBridge: () => Bridge
  isEnabled: () => boolean
  log: Log
}

export class ContainerListener {
  readonly #options: ContainerListenerOptions
  readonly #queue = new SerialQueue()
  #retry: NodeJS.Timeout | null = null
  #isReachable = false
  #problem: string | null = null

  constructor(options: ContainerListenerOptions) {
    this.#options = options
  }

  state(): ContainerAccess {
    const enabled = this.#options.isEnabled()
    const { port } = this.#options.listeners
    return {
      enabled,
      baseUrl: enabled && this.#isReachable && port !== 0 ? `http://${CONTAINER_HOST}:${port}` : null,
      problem: enabled ? this.#problem : null,
    }
  }

  /** Listens or stops, as the setting and the port of the gateway now say. Never rejects; `state` has the outcome. */
  refresh(): Promise<void> {
    return this.#queue.run(async () => {
      const { listeners, handler, findBridge, isEnabled, log } = this.#options
      this.#stopRetrying()
      const bridge = isEnabled() && listeners.port !== 0 ? findBridge() : null
      const address = bridge?.kind === 'address' ? bridge.address : null
      this.#problem = bridge?.kind === 'none' ? NO_BRIDGE : null
      this.#isReachable = bridge?.kind === 'forwarded'
      try {
        await listeners.listenAlso(handler, address)
        if (address !== null) this.#isReachable = true
      } catch (error) {
        this.#problem =
          error instanceof PortTakenError
            ? `Port ${error.port} on Docker’s address ${address} is used by another program.`
            : `The gateway cannot listen on Docker’s address ${address}: ${errorMessage(error)}`
      }
      if (this.#problem === null) return
      log.debug(`Containers cannot reach the gateway: ${this.#problem}`)
      this.#retry = setTimeout(() => void this.refresh(), RETRY_MS).unref()
    })
  }

  async close(): Promise<void> {
    await this.#queue.idle()
    this.#stopRetrying()
  }

  #stopRetrying(): void {
    if (this.#retry) clearTimeout(this.#retry)
    this.#retry = null
  }
}

const NO_BRIDGE =
  'Docker’s network interface docker0 was not found. Start Docker, and the gateway listens as soon as it is there. Docker Desktop needs nothing more.'
