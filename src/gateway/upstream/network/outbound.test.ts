import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Network } from '../../../shared/api/account.ts'
import { systemClock } from '../../platform/clock.ts'
import { listen } from '../../testing/listen.ts'
import { UpstreamPool } from '../connection-pool.ts'
import { AUTHORITY_FILE, startPrivateProvider } from '../testing/private-provider.ts'
import { CREDENTIAL, findFailure, plainRequest, TestCalls } from '../testing/test-calls.ts'
import { startHttpProxy, startSocksProxy } from '../testing/test-proxy.ts'
import { Outbound } from './outbound.ts'
import { toProxyFailure } from './proxy-failure.ts'
import type { ProxyAddress } from './system-network.ts'

const AUTHORITY = readFileSync(AUTHORITY_FILE, 'utf8')

function callsThrough(
  proxy: ProxyAddress | null,
  { chosen = 'system', trusted = [AUTHORITY] }: { chosen?: Network; trusted?: string[] } = {},
): TestCalls {
  const system = { findProxy: async () => proxy, readCertificates: () => ({ pem: trusted, problem: null }) }
  const calls = new TestCalls(new UpstreamPool(systemClock, new Outbound(system, () => chosen)))
  onTestFinished(() => calls.close())
  return calls
}

const proxyAt = (port: number, scheme = 'http', signIn = ''): ProxyAddress => ({
  url: `${scheme}://${signIn}127.0.0.1:${port}`,
  source: 'HTTPS_PROXY',
})

test('a call goes through an HTTP proxy inside TLS, so that the proxy sees the host but no credential', async () => {
  const provider = await startPrivateProvider()
  const proxy = await startHttpProxy({ toPort: provider.port, signIn: 'ann:p@ss' })
  onTestFinished(() => proxy.close())
  const calls = callsThrough(proxyAt(proxy.port, 'http', 'ann:p%40ss@'))
  await calls.send('https://models.example', plainRequest)
  await calls.send('https://models.example:8443', plainRequest)
  expect(proxy.tunnels).toEqual(['models.example:443', 'models.example:8443'])
  expect(provider.credentials).toEqual([`Bearer ${CREDENTIAL}`, `Bearer ${CREDENTIAL}`])
  expect(proxy.seen()).not.toContain(CREDENTIAL)
})

test.each([
  ['without a password', undefined, ''],
  ['with a password', 'ann:secret', 'ann:secret@'],
])('a call goes through a SOCKS proxy %s, which resolves the name', async (_, signIn, userInfo) => {
  const provider = await startPrivateProvider()
  const proxy = await startSocksProxy({ toPort: provider.port, ...(signIn !== undefined && { signIn }) })
  onTestFinished(() => proxy.close())
  const calls = callsThrough(proxyAt(proxy.port, 'socks5', userInfo))
  await calls.send('https://models.example', plainRequest)
  expect(proxy.tunnels).toEqual(['models.example:443'])
  expect(proxy.seen()).not.toContain(CREDENTIAL)
})

test.each(['93.184.215.14', '[2606:2800:21f:cb07::1]'])('SOCKS takes the address %s', async (host) => {
  const provider = await startPrivateProvider()
  const proxy = await startSocksProxy({ toPort: provider.port })
  onTestFinished(() => proxy.close())
  // The certificate is not for the address; the tunnel was opened before.
  const failure = await findFailure(
    callsThrough(proxyAt(proxy.port, 'socks5')).send(`https://${host}`, plainRequest),
  )
  expect(failure).toMatchObject({ reason: 'certificate', sent: false })
  const bytes = host.startsWith('[') ? '38.6.40.0.2.31.203.7.0.0.0.0.0.0.0.1' : host
  expect(proxy.tunnels).toEqual([`${bytes}:443`])
})

test.each(['localhost', '127.0.0.1'])('%s is called directly', async (host) => {
  const provider = await startPrivateProvider()
  const calls = callsThrough(proxyAt(1))
  await calls.send(`https://${host}:${provider.port}`, plainRequest)
  expect(provider.credentials).toEqual([`Bearer ${CREDENTIAL}`])
})

test('what is not encrypted never goes through a proxy', async () => {
  const proxy = await startHttpProxy({ toPort: 1 })
  onTestFinished(() => proxy.close())
  const failure = await findFailure(
    callsThrough(proxyAt(proxy.port)).send('http://models.example', plainRequest),
  )
  expect(failure).toMatchObject({ kind: 'network', reason: 'proxy', sent: false })
  expect(failure.message).toContain('Use an https address')
  expect(proxy.seen()).toBe('')
})

test('a provider uses the network of the settings unless it has its own', async () => {
  const provider = await startPrivateProvider()
  const proxy = await startHttpProxy({ toPort: provider.port })
  onTestFinished(() => proxy.close())
  const calls = callsThrough(proxyAt(proxy.port), { chosen: 'direct' })
  const direct = await findFailure(calls.send(`https://localhost:${provider.port}`, plainRequest))
  expect(direct).toMatchObject({ reason: 'certificate' })
  expect(direct.message).toContain('Settings → Network')
  await calls.send('https://models.example', plainRequest, { network: 'system' })
  expect(proxy.tunnels).toEqual(['models.example:443'])
})

const NTLM = { status: 407, headers: { 'proxy-authenticate': 'Negotiate' } }

test.each([
  ['no password', {}, '', 'requires a user name and a password (407)'],
  ['a wrong password', {}, 'ann:wrong@', 'rejected the user name and password in HTTPS_PROXY (407)'],
  ['another kind of sign-in', { refusal: NTLM }, '', 'NTLM or Kerberos'],
  ['a rule', { refusal: { status: 403 } }, '', 'does not allow a connection to the provider (403)'],
  ['a failure', { refusal: { status: 502 } }, '', 'could not connect to the provider (502)'],
])('a proxy that refuses for %s: the sentence says what to do', async (_, options, userInfo, expected) => {
  const proxy = await startHttpProxy({ toPort: 1, signIn: 'ann:secret', ...options })
  onTestFinished(() => proxy.close())
  const calls = callsThrough(proxyAt(proxy.port, 'http', userInfo))
  const failure = await findFailure(calls.send('https://models.example', plainRequest))
  expect(failure).toMatchObject({ kind: 'network', reason: 'proxy', sent: false })
  expect(failure.message).toContain(expected)
  expect(failure.message).not.toContain('wrong')
})

test.each([
  ['socks5', '', 'requires a user name and a password'],
  ['socks5', 'ann:wrong@', 'rejected the user name and password'],
  ['http', '', 'did not answer in proper HTTP. Check its address'],
])('a SOCKS proxy with a password, called by %s with "%s"', async (scheme, userInfo, expected) => {
  const proxy = await startSocksProxy({ toPort: 1, signIn: 'ann:secret' })
  onTestFinished(() => proxy.close())
  const calls = callsThrough(proxyAt(proxy.port, scheme, userInfo))
  const failure = await findFailure(
    calls.send('https://models.example', plainRequest, { connectTimeoutMs: 200 }),
  )
  expect(failure.reason).toBe('proxy')
  expect(failure.message).toContain(expected)
})

test.each([
  ['that no one listens at', 'http://127.0.0.1:1', 'The proxy refused the connection. Check its address'],
  ['for SOCKS that no one listens at', 'socks5://127.0.0.1:1', 'The proxy refused the connection.'],
  ['without a host', 'http://', 'HTTPS_PROXY is not the URL of a proxy.'],
  ['for SOCKS that closes', 'socks5://127.0.0.1:CLOSES', 'The proxy closed the connection.'],
  [
    'with a password that is not encoded',
    'http://ann:50%@127.0.0.1:1',
    'each "%" of the user name and the password',
  ],
  ['of an old kind', 'socks4://127.0.0.1:1', 'a kind that Tollgate does not support (socks4)'],
])('an address %s', async (_, url, expected) => {
  const server = createServer((socket) => socket.end())
  const port = await listen(server)
  onTestFinished(() => void server.close())
  const calls = callsThrough({ url: url.replace('CLOSES', String(port)), source: 'HTTPS_PROXY' })
  const failure = await findFailure(calls.send('https://models.example', plainRequest))
  expect(failure).toMatchObject({ kind: 'network', reason: 'proxy', sent: false })
  expect(failure.message).toContain(expected)
})

test("a defect of this program is no advice about the proxy's address", () => {
  const defect = new TypeError('client.connect is not a function')
  expect(toProxyFailure(defect, 'HTTPS_PROXY')).toBe(defect)
})

test('an authority that this computer does not trust: the sentence names the code and the remedy', async () => {
  const provider = await startPrivateProvider()
  const proxy = await startHttpProxy({ toPort: provider.port })
  onTestFinished(() => proxy.close())
  const calls = callsThrough(proxyAt(proxy.port), { trusted: [] })
  const failure = await findFailure(calls.send('https://models.example', plainRequest))
  expect(failure).toMatchObject({ kind: 'network', reason: 'certificate', sent: false })
  expect(failure.message).toMatch(/UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY/)
  expect(failure.message).toContain('NODE_EXTRA_CA_CERTS')
})
