import { createSecureContext, type SecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import { locateHost } from '../../../shared/hosts.ts'
import type { Network } from '../../../shared/network.ts'
import { codeOf, isUnknownAuthority, proxyFailure, unknownAuthority } from './proxy-failure.ts'
import type { SystemNetwork } from './system-network.ts'
import { connectWith, openTunnel } from './tunnel.ts'

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
      const proxy = locateHost(new URL(origin).hostname) === 'public' ? await system.findProxy(origin) : null
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

  /** Reading them takes tenths of a second, so it is done once, and only where they are needed. */
  #trust(system: SystemNetwork): SecureContext {
    this.#trusted ??= createSecureContext({ ca: [...system.readCertificates().pem] })
    return this.#trusted
  }
}

function withAdvice(error: unknown): Error {
  const code = codeOf(error)
  if (isUnknownAuthority(code)) return unknownAuthority(code, 'provider')
  return error instanceof Error ? error : new Error(String(error))
}
