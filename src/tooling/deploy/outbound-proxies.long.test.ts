// Providers behind Squid and Dante, with an authority that only the test has.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { serve } from '../../contract/testing/program.ts'
import { testClient } from '../../gateway/testing/gateway.ts'
import { freePort, listen } from '../../gateway/testing/listen.ts'

const CREDENTIAL = 'canary-credential-4711'
const PASSWORD = 'canary-password-4711'
/** Only the proxies can resolve it. */
const HOST = 'models.example'
const SLOW_MS = 120_000

let folder = ''
let provider: Server
let baseUrl = ''
const credentials: unknown[] = []
const children: ChildProcess[] = []
const ports = { http: 0, https: 0, socks: 0, provider: 0 }

beforeAll(async () => {
  // The proxies drop their privileges, and could not open a folder of the tests.
  folder = mkdtempSync('/tmp/tollgate-outbound-')
  chmodSync(folder, 0o777)
  makeCertificates()
  ports.provider = await startProvider()
  baseUrl = `https://${HOST}:${ports.provider}/v1`
  writeFileSync(file('hosts'), `127.0.0.1 ${HOST}\n`)
  for (const name of ['http', 'https', 'socks'] as const) ports[name] = await freePort()
  startSquid()
  startDante()
  for (const name of ['http', 'https', 'socks'] as const)
    await vi.waitFor(() => canConnect(ports[name]), SLOW_MS)
}, SLOW_MS)

afterAll(async () => {
  for (const child of children) {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
  provider.close()
  provider.closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
}, SLOW_MS)

const file = (name: string) => join(folder, name)

function makeCertificates(): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  openssl(
    'req',
    '-x509',
    ...key,
    '-subj',
    '/CN=A company',
    '-days',
    '2',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  )
  openssl('req', ...key, '-subj', `/CN=${HOST}`, '-keyout', 'leaf.key', '-out', 'leaf.csr')
  writeFileSync(file('names'), `subjectAltName=DNS:${HOST},IP:127.0.0.1\n`)
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names']
  openssl('x509', '-req', '-in', 'leaf.csr', ...signed, '-out', 'leaf.pem')
  chmodSync(file('leaf.key'), 0o644)
}

async function startProvider(): Promise<number> {
  const pem = { key: readFileSync(file('leaf.key')), cert: readFileSync(file('leaf.pem')) }
  provider = createServer(pem, (request, response) => {
    credentials.push(request.headers.authorization)
    const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
    const message = { role: 'assistant', content: 'Hello' }
    const chat = {
      id: '1',
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage,
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(request.url?.endsWith('/models') ? { data: [{ id: 'large' }] } : chat))
  })
  return await listen(provider)
}

function start(command: string, args: readonly string[]): void {
  // Libraries of the test environment must not be loaded into the proxies.
  const env = {
    PATH: `${process.env.PATH}:/usr/sbin`,
    LD_PRELOAD: 'libnss_wrapper.so',
    NSS_WRAPPER_HOSTS: file('hosts'),
  }
  children.push(spawn(command, args, { env, stdio: 'ignore' }))
}

function startSquid(): void {
  const hash = execFileSync('openssl', ['passwd', '-apr1', PASSWORD], { encoding: 'utf8' }).trim()
  writeFileSync(file('passwords'), `ann:${hash}\n`)
  const lines = [
    `http_port 127.0.0.1:${ports.http}`,
    `https_port 127.0.0.1:${ports.https} tls-cert=${file('leaf.pem')} tls-key=${file('leaf.key')}`,
    `hosts_file ${file('hosts')}`,
    `auth_param basic program /usr/lib/squid/basic_ncsa_auth ${file('passwords')}`,
    'acl signed_in proxy_auth REQUIRED',
    'acl tunnel method CONNECT',
    `acl provider dstdomain ${HOST}`,
    'http_access deny !signed_in',
    'http_access allow tunnel provider',
    'http_access deny all',
    'cache deny all',
    'shutdown_lifetime 0 seconds',
    `pid_filename ${file('squid.pid')}`,
    `access_log stdio:${file('access.log')}`,
    `cache_log ${file('cache.log')}`,
  ]
  writeFileSync(file('squid.conf'), `${lines.join('\n')}\n`)
  start('squid', ['-N', '-f', file('squid.conf')])
}

function startDante(): void {
  const lines = [
    `logoutput: ${file('dante.log')}`,
    `internal: 127.0.0.1 port = ${ports.socks}`,
    'external: lo',
    'clientmethod: none',
    'socksmethod: none',
    'client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }',
    `socks pass { from: 127.0.0.0/8 to: ${HOST} log: connect }`,
  ]
  writeFileSync(file('dante.conf'), `${lines.join('\n')}\n`)
  start('danted', ['-f', file('dante.conf'), '-p', file('dante.pid')])
}

async function canConnect(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect').finally(() => socket.destroy())
}

/** A gateway with these variables, which uses them, and the provider. */
async function startGateway(env: Record<string, string>) {
  const data = mkdtempSync(join(folder, 'data-'))
  const program = serve(['--port', '0', '--data-dir', data, '--credentials', 'memory'], env)
  const ready = await program.ready
  const client = testClient(ready.baseUrl, ready.adminKey ?? '')
  onTestFinished(async () => {
    program.child.kill('SIGTERM')
    expect((await program.ended).stderr).not.toContain(PASSWORD)
  })
  await client.call('PATCH', '/v1/settings', { body: { network: 'system' } })
  await client.addProvider('remote', baseUrl, ['large'], { credential: CREDENTIAL })
  return client
}

const trusted = () => ({ NODE_EXTRA_CA_CERTS: file('ca.pem') })
const signedIn = () => `ann:${PASSWORD}@127.0.0.1`

test.each([
  ['Squid', () => `http://${signedIn()}:${ports.http}`],
  ['Squid over TLS', () => `https://${signedIn()}:${ports.https}`],
  ['Dante', () => `socks5://127.0.0.1:${ports.socks}`],
])('calls go through %s, which alone can resolve the name', async (_, url) => {
  const gateway = await startGateway({ ...trusted(), ALL_PROXY: url() })
  expect((await gateway.call('GET', '/v1/network')).json).toMatchObject({
    isUsed: true,
    proxies: [{ source: 'ALL_PROXY', problem: null }],
    certificateProblem: null,
  })
  expect((await gateway.call('POST', '/v1/providers/remote/test')).json).toMatchObject({
    ok: true,
    modelCount: 1,
  })
  const before = credentials.length
  expect((await gateway.chat({ model: 'large' })).status).toBe(200)
  expect(credentials.slice(before)).toEqual([`Bearer ${CREDENTIAL}`])
})

test('Squid without a password, with a wrong one, and for an address that it does not allow', async () => {
  const failureWith = async (url: string, address = baseUrl) => {
    const gateway = await startGateway({ ...trusted(), HTTPS_PROXY: url })
    await gateway.call('PUT', '/v1/providers/remote', { body: { baseUrl: address } })
    return (await gateway.call('POST', '/v1/providers/remote/test')).json.error
  }
  expect(await failureWith(`http://127.0.0.1:${ports.http}`)).toContain(
    'requires a user name and a password (407)',
  )
  expect(await failureWith(`http://ann:wrong@127.0.0.1:${ports.http}`)).toContain(
    'rejected the user name and password in HTTPS_PROXY (407)',
  )
  const other = baseUrl.replace(HOST, 'other.example')
  expect(await failureWith(`http://${signedIn()}:${ports.http}`, other)).toContain(
    'does not allow a connection',
  )
})

test('without the certificate of the company, the test names the code and the remedy', async () => {
  const gateway = await startGateway({ HTTPS_PROXY: `http://${signedIn()}:${ports.http}` })
  const { error } = (await gateway.call('POST', '/v1/providers/remote/test')).json
  expect(error).toMatch(/UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY/)
  expect(error).toContain('NODE_EXTRA_CA_CERTS')
})
