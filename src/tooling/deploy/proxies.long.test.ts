// The configurations in resources/deploy, run by HAProxy and nginx in front of two gateways (docs/scaling.md).
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Agent, fetch } from 'undici'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type RunningProgram, serve } from '../../contract/testing/program.ts'
import { type TestClient, testClient } from '../../gateway/testing/gateway.ts'
import { root } from '../commands.ts'
import { freePort } from './free-port.ts'

const deployDir = join(root, 'resources/deploy')
const fixtures = join(root, 'src/gateway/upstream/fixtures')
const read = (name: string) => readFileSync(join(deployDir, name), 'utf8')
const certificate = ['self-signed-cert.pem', 'self-signed-key.pem']
  .map((name) => readFileSync(join(fixtures, name), 'utf8'))
  .join('\n')
// The certificate is for tests, and signed by itself.
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })

interface Ports {
  proxy: number
  gateways: readonly [number, number]
}

interface Proxy {
  name: string
  start(folder: string, ports: Ports): ChildProcess
}

const proxies: readonly Proxy[] = [
  {
    name: 'HAProxy',
    start(folder, { proxy, gateways: [one, two] }) {
      const config = read('haproxy.cfg')
        .replace(':443', `127.0.0.1:${proxy}`)
        .replace('/etc/haproxy/tollgate.pem', join(folder, 'tollgate.pem'))
        .replace(' 127.0.0.1:8655', ` 127.0.0.1:${one}`)
        .replace(' 127.0.0.1:8656', ` 127.0.0.1:${two}`)
        .replace('maxconn 9000', 'maxconn 500')
      writeFileSync(join(folder, 'haproxy.cfg'), config)
      return spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' })
    },
  },
  {
    name: 'nginx',
    start(folder, { proxy, gateways: [one, two] }) {
      const config = read('nginx.conf')
        .replace('listen 443', `listen 127.0.0.1:${proxy}`)
        .replaceAll('/etc/nginx/tollgate.pem', join(folder, 'tollgate.pem'))
        .replace(' 127.0.0.1:8655', ` 127.0.0.1:${one}`)
        .replace(' 127.0.0.1:8656', ` 127.0.0.1:${two}`)
      const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      )
      const http = `access_log off; ${own.join(' ')}\n${config}`
      const main = `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {}\nhttp {\n${http}}\n`
      writeFileSync(join(folder, 'nginx.conf'), main)
      return spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder], { stdio: 'inherit' })
    },
  },
]

const Created = z.object({ id: z.string(), secret: z.string() })

describe.each(proxies)('$name in front of two gateways', (proxy) => {
  let folder = ''
  let url = ''
  let child: ChildProcess
  const programs: RunningProgram[] = []
  const gateways: TestClient[] = []

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-proxy-'))
    writeFileSync(join(folder, 'tollgate.pem'), certificate)
    writeFileSync(join(folder, '.curlrc'), 'insecure\n')
    const ports: Ports = { proxy: await freePort(), gateways: [await freePort(), await freePort()] }
    url = `https://127.0.0.1:${ports.proxy}`
    for (const port of ports.gateways) {
      const flags = ['--port', `${port}`, '--data-dir', join(folder, `data-${port}`)]
      const program = serve([
        ...flags,
        ...['--credentials', 'memory', '--allow-host', `127.0.0.1:${ports.proxy}`],
      ])
      programs.push(program)
      const { baseUrl, adminKey = '' } = await program.ready
      gateways.push(testClient(baseUrl, adminKey))
    }
    child = proxy.start(folder, ports)
    await vi.waitFor(() => listens(ports.proxy), { timeout: 10_000 })
  }, 240_000)

  afterAll(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
    for (const program of programs) {
      program.child.kill('SIGTERM')
      await program.ended
    }
    rmSync(folder, { recursive: true, force: true })
  }, 30_000)

  const gateway = (index: number) => gateways[index] ?? expect.fail('the gateway did not start')

  /** By the script that users run. */
  async function createKey(index: number, body: Record<string, unknown>) {
    const { baseUrl, admin } = gateway(index)
    const script = join(deployDir, 'create-key.sh')
    const env = { ...process.env, CURL_HOME: folder }
    const running = promisify(execFile)('sh', [script, url, JSON.stringify(body), baseUrl], { env })
    running.child.stdin?.end(`${admin}\n`)
    const { stdout } = await running
    return Created.parse(JSON.parse(stdout))
  }

  const chat = (
    secret: string,
    content: string,
    more: Record<string, unknown> = {},
    header = 'authorization',
  ) =>
    fetch(`${url}/v1/chat/completions`, {
      dispatcher,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [header]: header === 'authorization' ? `Bearer ${secret}` : secret,
      },
      body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content }], ...more }),
    })

  test('a key is served by the gateway that has created it, in whichever header it comes', async () => {
    for (const index of [0, 1]) {
      const { secret } = await createKey(index, { name: `Of ${index}`, scope: 'completions-only' })
      const headers = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']
      for (const header of headers) expect((await chat(secret, 'Hello', {}, header)).status).toBe(200)
      const active = (await gateway(index).call('GET', '/v1/keys')).json.data
      // Those for which the proxy chose the other gateway are revoked.
      const others = active.filter(
        ({ name, revokedAt }: { name: string; revokedAt: string | null }) =>
          name === `Of ${index}` && revokedAt === null,
      )
      expect(others).toHaveLength(1)
    }
  })

  test('caps of keys on both gateways are exact under 60 requests at once', async () => {
    const cap = 0.002
    const keys = await Promise.all(
      [0, 1].map((index) => createKey(index, { name: 'Capped', scope: 'full', spendLimitUsd: cap })),
    )
    const calls = keys.flatMap(({ secret }) =>
      Array.from({ length: 30 }, async () => {
        const answer = await chat(secret, 'Spend [[sandbox:tokens 100]]', { max_tokens: 100 })
        await answer.text()
        const usd = answer.status === 200 ? Number(answer.headers.get('x-service-cost-usd')) : 0
        return { secret, status: answer.status, usd }
      }),
    )
    const answers = await Promise.all(calls)
    for (const [index, { id, secret }] of keys.entries()) {
      const own = answers.filter((answer) => answer.secret === secret)
      expect(own.every(({ status }) => [200, 402, 429].includes(status))).toBe(true)
      const { spendUsd } = (await gateway(index).call('GET', `/v1/keys/${id}`)).json
      const sum = own.reduce((total, { usd }) => total + Math.round(usd * 1e6), 0)
      expect(sum).toBe(Math.round(spendUsd * 1e6))
      const largest = Math.max(...own.map(({ usd }) => usd))
      expect(spendUsd).toBeLessThan(cap + largest)
      expect(own.filter(({ status }) => status !== 200).length).toBeGreaterThan(0)
      expect((await gateway(1 - index).call('GET', `/v1/keys/${id}`)).status).toBe(404)
    }
  })

  test('parts of a stream arrive as they come, and a client that leaves ends its request', async () => {
    const { secret } = await createKey(0, { name: 'Streams', scope: 'full' })
    const answer = await chat(secret, '[[sandbox:tokens 100]] [[sandbox:stall]]', { stream: true })
    const reader = answer.body?.getReader()
    const part = await reader?.read()
    expect(new TextDecoder().decode(part?.value)).toContain('data: ')
    await reader?.cancel()
    await vi.waitFor(
      async () => {
        const [newest] = await gateway(0).records()
        expect(newest?.status).toBe('canceled')
      },
      { timeout: 10_000 },
    )
  })

  test('the interface opens through the proxy, and the metrics do not', async () => {
    const openapi = await fetch(`${url}/openapi.json`, { dispatcher })
    expect(openapi.status).toBe(200)
    expect((await fetch(`${url}/metrics`, { dispatcher })).status).toBe(403)
  })

  test('while a gateway is down, only its keys fail', async () => {
    const [up, down] = await Promise.all(
      [0, 1].map((index) => createKey(index, { name: 'Up or down', scope: 'full' })),
    )
    programs[1]?.child.kill('SIGTERM')
    await programs[1]?.ended
    expect([502, 503]).toContain((await chat(down?.secret ?? '', 'Hello')).status)
    expect((await chat(up?.secret ?? '', 'Hello')).status).toBe(200)
  })
})

async function listens(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
}
