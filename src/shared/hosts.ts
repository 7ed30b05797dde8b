// Owns where a host is, as far as its name tells: on this machine, in a private network, or anywhere.

export type HostPlace = 'loopback' | 'private' | 'public'

/** Names that only mean something inside a local network; `home.arpa` is RFC 8375, `internal` ICANN's choice. */
const PRIVATE_SUFFIXES = ['.local', '.lan', '.internal', '.localdomain', '.home.arpa'] as const

/** `hostname` as `URL` writes it, which has one spelling for every IPv4 address and brackets around an IPv6 one. */
export function placeOf(hostname: string): HostPlace {
  const host = hostname.replace(/\.$/, '').toLowerCase()
  if (host.startsWith('[')) return placeOfV6(host.slice(1, -1))
  const v4 = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(host)
  if (v4) return placeOfV4(Number(v4[1]), Number(v4[2]), v4[0])
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback'
  // A name without a dot is one of the local network's own: a machine, a container.
  if (!host.includes('.') || PRIVATE_SUFFIXES.some((suffix) => host.endsWith(suffix))) return 'private'
  return 'public'
}

function placeOfV4(first: number, second: number, address: string): HostPlace {
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

function placeOfV6(address: string): HostPlace {
  if (address === '::1' || address === '::') return 'loopback'
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address)
  if (mapped) {
    const high = Number.parseInt(mapped[1] ?? '', 16)
    return placeOfV4(high >> 8, high & 255, '')
  }
  // Unique local addresses (RFC 4193) and link-local ones.
  return /^(f[cd]|fe[89ab])/.test(address) ? 'private' : 'public'
}
