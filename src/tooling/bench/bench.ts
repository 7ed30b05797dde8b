// `npm run bench`: compares the gateway with a bare proxy and a peer in one run, as ratios. Tollgate runs with everything
// enabled: caps, reservations, pricing and a durable ledger.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { errorMessage } from '../../shared/error-message.ts'
import { buildIfNeeded } from '../build.ts'
import { cacheDir, root, run } from '../commands.ts'
import { load, type Measured, type Target } from './load.ts'

const PEER = '@portkey-ai/gateway@1.15.2'
const ROUNDS = 5
const CASES = [
  { name: 'plain, 1 client', stream: false, clients: 1, requests: 400 },
  { name: 'plain, 32 clients', stream: false, clients: 32, requests: 4_000 },
  { name: 'stream of 50 chunks, 1 client', stream: true, clients: 1, requests: 200 },
  { name: 'stream of 50 chunks, 32 clients', stream: true, clients: 32, requests: 1_500 },
] as const

const children: ChildProcess[] = []

function start(args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [...args], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
  children.push(child)
  return child
}

/** The first line a child prints, as JSON. */
async function firstLine(child: ChildProcess): Promise<unknown> {
  if (!child.stdout) throw new Error('the child has no output')
  const [line] = await once(createInterface(child.stdout), 'line')
  return JSON.parse(String(line))
}

const Port = z.object({ port: z.number() })
const script = (name: string) => join(import.meta.dirname, name)

async function startTollgate(upstreamUrl: string, dataDir: string): Promise<Target> {
  const child = start([
    'out/main/cli.js',
    'serve',
    '--port',
    '0',
    '--data-dir',
    dataDir,
    '--credentials',
    'memory',
  ])
  const { baseUrl, adminKey } = z
    .object({ baseUrl: z.string(), adminKey: z.string() })
    .parse(await firstLine(child))
  const call = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
    const answer = await fetch(baseUrl + path, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`setting Tollgate up failed: ${await answer.text()}`)
    return answer.json()
  }
  // The plan's rate limit is not part of the overhead: the benchmark sends more than any plan allows.
  const limits = { requestsPerMinute: 10_000_000, tokensPerMinute: 1_000_000_000 }
  await call('PATCH', '/v1/settings', { planLimits: { bundle: limits } })
  await call('PATCH', '/v1/account', { plan: 'bundle', monthlyLimitUsd: 1_000_000 })
  await call('PUT', '/v1/providers/bench', {
    apiFormat: 'openai-chat',
    baseUrl: upstreamUrl,
    credential: 'secret',
  })
  const pricing = { inputPerMillion: 1, outputPerMillion: 2 }
  await call('PUT', '/v1/models/bench', { provider: 'bench', pricing, maxOutputTokens: 1_000 })
  const key = z
    .object({ secret: z.string() })
    .parse(await call('POST', '/v1/keys', { name: 'bench', scope: 'completions-only', spendLimitUsd: 1_000 }))
  return {
    name: 'Tollgate',
    url: `${baseUrl}/v1/chat/completions`,
    headers: { authorization: `Bearer ${key.secret}` },
    model: 'bench',
  }
}

/** A free port for the peer, which cannot choose one itself. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

/** The peer is installed from the npm registry into an ignored folder; null, with a message, when it is unavailable. */
async function startPeer(upstreamUrl: string): Promise<Target | null> {
  const dir = join(cacheDir, 'bench-peer')
  const server = join(dir, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  if (!existsSync(server)) {
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'package.json'), '{ "private": true }')
    const { code } = await run('npm', ['install', '--ignore-scripts', '--no-save', PEER], {
      cwd: dir,
      stdio: 'ignore',
    })
    if (code !== 0) {
      process.stdout.write(`The peer ${PEER} could not be installed; measuring without it.\n`)
      return null
    }
  }
  const port = await freePort()
  start([server, '--headless', `--port=${port}`])
  const url = `http://127.0.0.1:${port}/v1/chat/completions`
  for (let tries = 0; tries < 100; tries++) {
    if (
      await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    )
      break
    await delay(100)
  }
  const headers = {
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': upstreamUrl,
    authorization: 'Bearer secret',
  }
  return { name: PEER, url, headers, model: 'bench' }
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** The medians over the rounds. */
function summary(rounds: readonly Measured[]): Measured {
  const of = (pick: (measured: Measured) => number) => median(rounds.map(pick))
  return {
    rate: of((m) => m.rate),
    firstByte: [of((m) => m.firstByte[0]), of((m) => m.firstByte[1])],
    total: [of((m) => m.total[0]), of((m) => m.total[1])],
  }
}

function row(name: string, measured: Measured, bare: Measured): string {
  const ms = (value: number) => value.toFixed(2).padStart(8)
  const times = (value: number) => `${value.toFixed(2)}×`.padStart(7)
  return [
    name.padEnd(28),
    measured.rate.toFixed(0).padStart(7),
    times(measured.rate / bare.rate),
    ms(measured.firstByte[0]),
    ms(measured.firstByte[1]),
    ms(measured.total[0]),
    ms(measured.total[1]),
    (measured.total[0] - bare.total[0]).toFixed(2).padStart(9),
  ].join('  ')
}

async function main(): Promise<void> {
  if ((await buildIfNeeded()) !== 0) throw new Error('The build failed.')
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  try {
    const upstream = Port.parse(await firstLine(start([script('upstream.ts')])))
    const upstreamUrl = `http://127.0.0.1:${upstream.port}/v1`
    const proxy = Port.parse(
      await firstLine(start([script('proxy.ts'), `http://127.0.0.1:${upstream.port}`])),
    )
    const bare: Target = {
      name: 'bare proxy',
      url: `http://127.0.0.1:${proxy.port}/v1/chat/completions`,
      headers: {},
      model: 'bench',
    }
    const direct: Target = {
      name: 'upstream itself',
      url: `${upstreamUrl}/chat/completions`,
      headers: {},
      model: 'bench',
    }
    const peer = await startPeer(upstreamUrl)
    const targets = [direct, bare, await startTollgate(upstreamUrl, dataDir), ...(peer ? [peer] : [])]
    process.stdout.write(
      `Medians of ${ROUNDS} rounds, taken in turn. Milliseconds; "×" is the rate beside the bare proxy.\n`,
    )
    for (const { name, requests, clients, stream } of CASES) {
      const rounds = new Map<string, Measured[]>(targets.map((target) => [target.name, []]))
      const failures = new Map<string, string>()
      const measure = async (target: Target, count: number): Promise<void> => {
        if (failures.has(target.name)) return
        try {
          rounds.get(target.name)?.push(await load(target, count, clients, stream))
        } catch (error) {
          // A peer that cannot serve a case is reported; the others are still measured.
          failures.set(target.name, errorMessage(error))
        }
      }
      for (const target of targets) await measure(target, Math.ceil(requests / 4))
      for (const warmUp of rounds.values()) warmUp.length = 0
      for (let round = 0; round < ROUNDS; round++) {
        for (const target of targets) await measure(target, requests)
      }
      process.stdout.write(
        `\n${name.padEnd(28)}  req/s    ratio  first 50  first 99  total 50  total 99  over bare\n`,
      )
      const baseline = summary(rounds.get(bare.name) ?? [])
      for (const target of targets) {
        const failed = failures.get(target.name)
        const measured = summary(rounds.get(target.name) ?? [])
        process.stdout.write(
          `${failed ? `${target.name.padEnd(28)}  failed: ${failed}` : row(target.name, measured, baseline)}\n`,
        )
      }
    }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

await main()
