// Gateways behind HAProxy or nginx, with the files of resources/deploy.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Agent, fetch, type RequestInit, type Response } from 'undici'
import { expect, vi } from 'vitest'
import { z } from 'zod'
import { type RunningProgram, serve } from '../../../contract/testing/program.ts'
import { type TestClient, testClient } from '../../../gateway/testing/gateway.ts'
import { freePort } from '../../../gateway/testing/listen.ts'
import { deployDir } from '../dashboard.ts'
import type { ProxyProgram } from '../proxies.ts'

const Created = z.object({ id: z.string(), secret: z.string() })
type CreatedKey = z.infer<typeof Created>

export interface ProxiedGateways {
  programs: readonly RunningProgram[]
  gateway(index: number): TestClient
  /** The address of the proxy in front of so many of the gateways. */
  url(gateways: number): string
  /** Creates a key by the script that users run, through the proxy in front of so many gateways. */
  createKey(index: number, body: object, gateways: number): Promise<CreatedKey>
  close(): Promise<void>
}

// The certificate is for tests, and signed by itself.
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })

export function fetchAny(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, dispatcher })
}

/** Starts two gateways, and for each of the numbers a proxy in front of so many of them. */
export async function startProxied(
  proxy: ProxyProgram,
  counts: readonly number[],
  more: readonly string[] = [],
): Promise<ProxiedGateways> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-proxy-'))
  writeFileSync(join(folder, '.curlrc'), 'insecure\n')
  const proxyPorts = new Map<number, number>()
  for (const count of counts) proxyPorts.set(count, await freePort())
  const hosts = [...proxyPorts.values()].flatMap((port) => ['--allow-host', `127.0.0.1:${port}`])
  const ports = [await freePort(), await freePort()].slice(0, Math.max(...counts))
  const programs: RunningProgram[] = []
  const clients: TestClient[] = []
  for (const port of ports) {
    const flags = ['--port', `${port}`, '--data-dir', join(folder, `data-${port}`)]
    const program = serve([...flags, '--credentials', 'memory', ...hosts, ...more])
    programs.push(program)
    const { baseUrl, adminKey = '' } = await program.ready
    clients.push(testClient(baseUrl, adminKey))
  }
  const children: ChildProcess[] = []
  for (const [count, port] of proxyPorts) {
    const own = join(folder, `proxy-${count}`)
    mkdirSync(own)
    const [program, ...args] = proxy.prepare(own, { proxy: port, gateways: ports.slice(0, count) })
    children.push(spawn(program, args, { stdio: 'ignore' }))
    await vi.waitFor(() => listens(port), { timeout: 10_000 })
  }
  const url = (count: number) => `https://127.0.0.1:${proxyPorts.get(count)}`
  const gateway = (index: number) => clients[index] ?? expect.fail('the gateway did not start')
  return {
    programs,
    gateway,
    url,
    async createKey(index, body, count) {
      const { baseUrl, admin } = gateway(index)
      const env = { ...process.env, CURL_HOME: folder }
      const args = [join(deployDir, 'create-key.sh'), url(count), JSON.stringify(body), baseUrl]
      const running = promisify(execFile)('sh', args, { env })
      running.child.stdin?.end(`${admin}\n`)
      return Created.parse(JSON.parse((await running).stdout))
    },
    async close() {
      for (const child of children) await end(child)
      for (const program of programs) {
        program.child.kill('SIGTERM')
        await program.ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A chat completion of the sandbox at this address. */
export function chatAt(
  url: string,
  secret: string,
  content: string,
  more: { body?: object; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  const { body = {}, headers = { authorization: `Bearer ${secret}` }, signal } = more
  return fetchAny(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content }], ...body }),
    ...(signal ? { signal } : {}),
  })
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

async function listens(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.destroy()
}
