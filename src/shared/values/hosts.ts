export type HostLocation = 'loopback' | 'private' | 'public'

/** Suffixes reserved for local networks; `home.arpa` is from RFC 8375, `internal` from ICANN. */
const PRIVATE_SUFFIXES = ['.local', '.lan', '.internal', '.localdomain', '.home.arpa'] as const

/** Where a host is, judging by its name. `hostname` is `URL.hostname`: IPv4 in dotted decimal, IPv6 in brackets. */
export function locateHost(hostname: string): HostLocation {
  const host = hostname.replace(/\.$/, '').toLowerCase()
  if (host.startsWith('[')) return locateV6(host.slice(1, -1))
  const v4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host)
  if (v4) return locateV4(Number(v4[1]), Number(v4[2]), v4[0])
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback'
  // A name without a dot is resolved by the local network: a machine or a container.
  if (!host.includes('.') || PRIVATE_SUFFIXES.some((suffix) => host.endsWith(suffix))) return 'private'
  return 'public'
}

function locateV4(first: number, second: number, address: string): HostLocation {
  if (first === 127 || address === '0.0.0.0') return 'loopback'
  const isPrivate =
    first === 10 ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 192 && second === 168) ||
    (first === 169 && second === 254) ||
    // RFC 6598; also what overlay networks such as Tailscale use.
    (first === 100 && second >= 64 && second < 128)
  return isPrivate ? 'private' : 'public'
}

function locateV6(address: string): HostLocation {
  if (address === '::1' || address === '::') return 'loopback'
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address)
  if (mapped) {
    const high = Number.parseInt(mapped[1] ?? '', 16)
    return locateV4(high >> 8, high & 255, '')
  }
  // Unique local addresses (RFC 4193) and link-local ones.
  return /^(f[cd]|fe[89ab])/.test(address) ? 'private' : 'public'
}
