import { createSecureContext, type SecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import { errorMessage } from '../../../shared/error-message.ts'
import { locateHost } from '../../../shared/hosts.ts'
import type { Network, NetworkStatus } from '../../../shared/network.ts'
import { codeOf, isUnknownAuthority, proxyFailure, unknownAuthority } from './proxy-failure.ts'
import type { ProxyAddress, SystemNetwork } from './system-network.ts'
import { checkProxy, connectWith, openTunnel } from './tunnel.ts'

const CHECK_TIMEOUT_MS = 5_000

/** A provider that is called. */
interface Destination {
  baseUrl: string | null
  network: Network | null
}

/** How connections leave this computer. */
export class Outbound {
  readonly #system: SystemNetwork | null
  readonly #chosen: () => Network
  #trusted: SecureContext | null = null

  /** `chosen`: the network of connections that have none of their own. */
  constructor(system: SystemNetwork | null = null, chosen: () => Network = () => 'direct') {
    this.#system = system
    this.#chosen = chosen
  }

  get chosen(): Network {
    return this.#chosen()
  }

  /** Makes the connections to one origin. */
  connector(origin: string, network: Network, timeoutMs: number): buildConnector.connector {
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch the check off.
    const options = { timeout: timeoutMs, rejectUnauthorized: true, allowH2: false }
    const system = this.#system
    if (network === 'direct' || system === null) return buildConnector(options)
    let shared: buildConnector.connector | null = null
    const connect = async (to: buildConnector.Options) => {
      const secureContext = this.#trust(system)
      // Shared by the connections, so that TLS sessions resume.
      shared ??= buildConnector({ ...options, secureContext })
      const proxy = publicOrigin(origin) === null ? null : await system.findProxy(origin)
      if (proxy === null) return await connectWith(shared, to)
      if (to.protocol !== 'https:')
        throw proxyFailure(
          'The address uses http without encryption, and a proxy could read the credential. Use an https address, or add its host to NO_PROXY.',
        )
      const target = { host: to.hostname, port: Number(to.port || 443) }
      const httpSocket = await openTunnel(proxy, target, { timeoutMs, secureContext })
      return await connectWith(shared, { ...to, httpSocket })
    }
    return (to, callback) => {
      connect(to).then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(withAdvice(error), null),
      )
    }
  }

  /** What this computer names for these providers. If any uses it, connects to each proxy. */
  async examine(providers: readonly Destination[]): Promise<NetworkStatus> {
    const system = this.#system
    const isUsed =
      this.chosen === 'system' || providers.some(({ network }) => (network ?? this.chosen) === 'system')
    if (system === null) return { isUsed, proxies: [], certificateProblem: null }
    const origins = providers.flatMap(({ baseUrl }) => publicOrigin(baseUrl) ?? [])
    const found = await Promise.all([...new Set(origins)].map((origin) => system.findProxy(origin)))
    const byUrl = new Map(found.filter((proxy) => proxy !== null).map((proxy) => [proxy.url, proxy]))
    const proxies = [...byUrl.values()].map(async (proxy) => ({
      address: withoutPassword(proxy.url),
      source: proxy.source,
      problem: isUsed ? await this.#problemOf(proxy, system) : null,
    }))
    const certificateProblem = isUsed ? system.readCertificates().problem : null
    return { isUsed, proxies: await Promise.all(proxies), certificateProblem }
  }

  async #problemOf(proxy: ProxyAddress, system: SystemNetwork): Promise<string | null> {
    const options = { timeoutMs: CHECK_TIMEOUT_MS, secureContext: this.#trust(system) }
    return await checkProxy(proxy, options).then(() => null, errorMessage)
  }

  /** What may help after a direct connection to the provider failed; null if nothing of it is known. */
  async advise({ baseUrl, network }: Destination): Promise<string | null> {
    const origin = publicOrigin(baseUrl)
    if (origin === null || (network ?? this.chosen) === 'system') return null
    const proxy = await this.#system?.findProxy(origin)
    return proxy ? `${proxy.source} names a proxy, which is not used. To use it: Settings → Network.` : null
  }

  /** Reading them takes tenths of a second, so it is done once, and only where they are needed. */
  #trust(system: SystemNetwork): SecureContext {
    this.#trusted ??= createSecureContext({ ca: [...system.readCertificates().pem] })
    return this.#trusted
  }
}

/** Null for an address that is always called directly. */
function publicOrigin(baseUrl: string | null): string | null {
  if (baseUrl === null || !URL.canParse(baseUrl)) return null
  const { origin, hostname } = new URL(baseUrl)
  return locateHost(hostname) === 'public' ? origin : null
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'no URL'
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

function withAdvice(error: unknown): Error {
  const code = codeOf(error)
  if (isUnknownAuthority(code)) return unknownAuthority(code, 'provider')
  return error instanceof Error ? error : new Error(String(error))
}
