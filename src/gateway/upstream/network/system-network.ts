/** A proxy, as the system or the environment names it. */
export interface ProxyAddress {
  /** May have a user name and a password: it is never stored, logged or shown as it is. */
  url: string
  /** Where it is set, as in `HTTPS_PROXY`. */
  source: string
}

interface Certificates {
  /** Certificates of all trusted authorities, in PEM. */
  pem: readonly string[]
  /** Why some of them could not be read; null if all could. */
  problem: string | null
}

/** How this computer reaches other networks: its proxies, and the authorities it trusts. */
export interface SystemNetwork {
  /** The proxy for connections to this origin; null for none. */
  findProxy(origin: string): Promise<ProxyAddress | null>
  readCertificates(): Certificates
}

/** The destination of a tunnel through a proxy. */
export interface TunnelOptions {
  /** The provider's host; an IPv6 address without brackets. */
  host: string
  port: number
  /** Where the proxy is set. */
  source: string
  signal: AbortSignal
}
