// The proxies and the certificates of this computer: of the environment, else of the system.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import tls from 'node:tls'
import type { SystemNetwork } from '../gateway/compose/host-api.ts'
import { errorMessage } from '../shared/values/text.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * What the system's settings say about an address, as in `PROXY host:port; DIRECT`. Only a desktop app can ask them.
 */
export type ResolveProxy = (url: string) => Promise<string>

export function systemNetwork(environment: Environment, resolveProxy?: ResolveProxy): SystemNetwork {
  return {
    async findProxy(origin) {
      const url = new URL(origin)
      if (isExcluded(url, variable(environment, 'NO_PROXY')?.value ?? '')) return null
      const schemeProxy = `${url.protocol.slice(0, -1).toUpperCase()}_PROXY`
      const set = variable(environment, schemeProxy) ?? variable(environment, 'ALL_PROXY')
      if (set) return { url: withScheme(set.value), source: set.name }
      const proxies = resolveProxy ? readProxyList(await resolveProxy(origin)) : null
      return proxies === null ? null : { url: proxies, source: "this computer's settings" }
    },
    readCertificates: () => readCertificates(environment),
  }
}

/** The lower-case name first, as in other programs; an empty value counts as none. */
function variable(environment: Environment, name: string): { name: string; value: string } | null {
  for (const each of [name.toLowerCase(), name]) {
    const value = environment[each]?.trim()
    if (value) return { name: each, value }
  }
  return null
}

function withScheme(address: string): string {
  return address.includes('://') ? address : `http://${address}`
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['PROXY', 'http'],
  ['HTTP', 'http'],
  ['HTTPS', 'https'],
  ['SOCKS', 'socks4'],
  ['SOCKS4', 'socks4'],
  ['SOCKS5', 'socks5'],
])

/** The URL of the first proxy in a list such as `PROXY host:port; DIRECT`; null for a direct connection. */
function readProxyList(list: string): string | null {
  const [kind = '', address = ''] = (list.split(';')[0] ?? '').trim().split(/\s+/)
  const scheme = KINDS.get(kind.toUpperCase())
  return scheme === undefined || address === '' ? null : `${scheme}://${address}`
}

/** Whether NO_PROXY has the host: `*`, names with their subdomains, addresses, and ranges such as `192.0.2.0/24`. */
function isExcluded({ protocol, hostname, port }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const actualPort = port || (protocol === 'https:' ? '443' : '80')
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry, host, actualPort))
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true
  const [range = '', bits] = entry.split('/')
  if (bits !== undefined) return isInRange(host, range, Number(bits))
  const [, name = entry, onlyPort] =
    /^\[?([^[\]]*?)\]?(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? []
  if (onlyPort !== undefined && onlyPort !== port) return false
  const bare = name.replace(/^\*?\./, '').replace(/\.$/, '')
  return bare !== '' && (host === bare || host.endsWith(`.${bare}`))
}

function isInRange(host: string, range: string, bits: number): boolean {
  const family = isIP(host) === 6 ? 'ipv6' : 'ipv4'
  const most = family === 'ipv6' ? 128 : 32
  if (isIP(host) === 0 || isIP(host) !== isIP(range) || !(bits >= 0 && bits <= most)) return false
  const list = new BlockList()
  list.addSubnet(range, bits, family)
  return list.check(host, family)
}

/** The certificates of this program, of the system's store, and of the file that NODE_EXTRA_CA_CERTS names. */
function readCertificates(environment: Environment): ReturnType<SystemNetwork['readCertificates']> {
  const pem = [...tls.rootCertificates]
  const problems: string[] = []
  try {
    // Node before 22.15 and 23.10 cannot read the system's store.
    if (typeof tls.getCACertificates === 'function') pem.push(...tls.getCACertificates('system'))
    else problems.push('This version of Node cannot read the certificates of the system.')
  } catch (error) {
    problems.push(`The certificates of the system could not be read: ${errorMessage(error)}`)
  }
  const path = environment.NODE_EXTRA_CA_CERTS
  if (path) {
    try {
      const text = readFileSync(path, 'utf8')
      // Throws for anything else.
      new X509Certificate(text)
      pem.push(text)
    } catch (error) {
      problems.push(`The file in NODE_EXTRA_CA_CERTS could not be read: ${errorMessage(error)}`)
    }
  }
  return { pem, problem: problems.length === 0 ? null : problems.join(' ') }
}
