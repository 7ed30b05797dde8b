// An additional listener for containers, on the address of Docker's bridge. Off until the user enables it.
import type { RequestListener } from 'node:http'
import { BlockList, isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { ContainerAccess } from '../../shared/api/account.ts'
import { errorMessage } from '../../shared/values/text.ts'
import type { Log } from '../platform/log.ts'
import { SerialQueue } from '../platform/wait.ts'
import { type Listeners, PortTakenError } from './listen.ts'
import { CONTAINER_HOST } from './origin-guard.ts'

/** How often a missing bridge is looked for: Docker may be started after the gateway. */
const RETRY_MS = 15_000

/**
 * How containers reach this computer: over a bridge, or because their connections come to a listener that is there anyway
 * (Docker Desktop passes them to 127.0.0.1).
 */
export type Bridge =
  /** `isContainer`: whether an address is one of the bridge's networks, which Linux does not check. */
  | { kind: 'address'; address: string; isContainer: (address: string) => boolean }
  | { kind: 'forwarded' }
  | { kind: 'none' }

/** Docker's interfaces: its default one, and one for each network that a user or Compose has made. */
const DOCKER_INTERFACE = /^(docker0|br-[0-9a-f]{12})$/

export function findDockerBridge(platform = process.platform, readInterfaces = networkInterfaces): Bridge {
  const bridgeAddress = readInterfaces().docker0?.find(({ family }) => family === 'IPv4')
  if (bridgeAddress)
    return {
      kind: 'address',
      address: bridgeAddress.address,
      isContainer: (address) => isInDockerNetwork(address, readInterfaces()),
    }
  // Docker Desktop runs containers in a virtual machine.
  return platform === 'linux' ? { kind: 'none' } : { kind: 'forwarded' }
}

/**
 * Linux answers for each of its addresses on every interface: a neighbor in the local network can send packets to the bridge's
 * address, too.
 */
function isInDockerNetwork(address: string, interfaces: ReturnType<typeof networkInterfaces>): boolean {
  const networks = new BlockList()
  for (const [name, addresses = []] of Object.entries(interfaces)) {
    if (!DOCKER_INTERFACE.test(name)) continue
    for (const { address: subnet, cidr, family } of addresses) {
      const bits = Number(cidr?.split('/')[1])
      if (family === 'IPv4' && bits > 0) networks.addSubnet(subnet, bits, 'ipv4')
    }
  }
  return isIPv4(address) && networks.check(address, 'ipv4')
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
      const place = bridge?.kind === 'address' ? bridge : null
      const address = place?.address ?? null
      this.#problem = bridge?.kind === 'none' ? NO_BRIDGE : null
      this.#isReachable = bridge?.kind === 'forwarded'
      try {
        await listeners.listenAlso(handler, place && { address: place.address, accepts: place.isContainer })
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
