// `npm run soak`: runs the headless program on one data dir under load and kills it at random moments. After each restart,
// its ledger is compared with what the clients received. Exits with 1 when it finds a fault.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { newSeed, type Random, randomForCase } from '../../gateway/testing/random.ts'
import { Audit } from './audit.ts'
import {
  callUntilStopped,
  checkRevoked,
  compareReplay,
  fillKeys,
  isRevoking,
  type Load,
  sendCall,
} from './callers.ts'
import { Client } from './client.ts'
import { Expectations } from './expectations.ts'
import { Figures } from './figures.ts'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'
import { type MisbehavingUpstream, PRICING, startMisbehavingUpstream } from './upstream.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    without: { type: 'string', default: '' },
    callers: { type: 'string', default: '12' },
    keep: { type: 'boolean', default: false },
  },
})

/** After SIGTERM, running requests have 5 s; a busy machine needs a little longer. */
const STOP_MS = 8_000
/** How many idempotent calls of earlier rounds are repeated after each restart. */
const REPLAYS = 8
const LIMITS_MS = { connectTimeoutMs: 1000, firstByteTimeoutMs: 400, stallTimeoutMs: 400 }

const seed = values.seed === undefined ? newSeed() : Number(values.seed)
const random = randomForCase(seed)
const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-soak-'))
const figures = new Figures()
const expectations = new Expectations()
const audit = new Audit(expectations, figures)
const until = values.seconds === undefined ? Number.POSITIVE_INFINITY : Number(values.seconds) * 1000
const rounds = values.seconds === undefined ? Number(values.rounds) : Number.POSITIVE_INFINITY
const without = values.without.split(',')
const upstreams = {
  soak: await startMisbehavingUpstream(random, without),
  twice: await startMisbehavingUpstream(random, without),
}
const getUpstream = (model: string): MisbehavingUpstream =>
  model === 'twice' ? upstreams.twice : upstreams.soak
let admin = ''

console.log(`seed ${seed}`)
const startedAt = performance.now()
for (let round = 1; round <= rounds && performance.now() - startedAt < until; round++) {
  const gateway = await startGatewayProcess(dataDir)
  await runRound(round, gateway)
  if (round % 10 === 0) console.error(`round ${round}: ${figures.requests} requests`)
}
const last = await startGatewayProcess(dataDir)
const client = new Client(last.baseUrl)
await audit.run(client, admin, true)
client.close()
await terminate(last)
await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()))
if (!values.keep) rmSync(dataDir, { recursive: true, force: true })
console.log(`seed ${seed}${values.keep ? `, data in ${dataDir}` : ''}\n${figures.formatTable()}`)
process.exitCode = figures.failed ? 1 : 0

async function runRound(round: number, gateway: GatewayProcess): Promise<void> {
  const load: Load = {
    ...{
      client: new Client(gateway.baseUrl),
      expectations,
      figures,
      random,
      getUpstream,
      admin,
      stopped: false,
    },
  }
  if (round === 1) {
    admin = gateway.adminKey ?? ''
    load.admin = admin
    await setUp(load)
  } else {
    figures.restartMs.push(gateway.readyMs)
    await audit.run(load.client, admin)
    await checkRevoked(load)
    for (const call of expectations.unacknowledged.splice(0))
      if (!isRevoking(expectations, call)) await sendCall(load, call, false)
    const usable = expectations.replayable.filter(({ call }) => !isRevoking(expectations, call))
    for (const first of sample(random, usable, REPLAYS)) await compareReplay(load, first)
  }
  await fillKeys(load)
  for (const upstream of Object.values(upstreams)) upstream.forget()

  const callers = Promise.all(Array.from({ length: Number(values.callers) }, () => callUntilStopped(load)))
  await delay(random.between(100, 1500))
  if (gateway.exitResult()) figures.add('exited', gateway.exitResult()?.stderr.slice(-500) ?? '')
  load.stopped = true
  const kind = random.below(10)
  if (kind === 0) {
    // No more requests: everything must be settled without a restart.
    await callers
    await audit.run(load.client, admin)
  }
  figures.peakRssMiB = Math.max(figures.peakRssMiB, gateway.peakRssMiB())
  if (kind === 1) await terminate(gateway)
  else {
    figures.kills += 1
    checkLog((await gateway.kill()).stderr)
  }
  await callers
  load.client.close()
}

async function setUp({ client }: Load): Promise<void> {
  const put = async (method: string, path: string, body: object) => {
    const received = await client.send({ method, path, secret: admin, body: JSON.stringify(body) })
    if (received.status !== 200) throw new Error(`${method} ${path}: ${received.status} ${received.text}`)
  }
  const limits = { requestsPerMinute: 1_000_000_000, tokensPerMinute: Number.MAX_SAFE_INTEGER }
  await put('PATCH', '/v1/settings', { planLimits: { 'pay-as-you-go': limits } })
  for (const [id, { url }] of Object.entries(upstreams))
    await put('PUT', `/v1/providers/${id}`, { apiFormat: 'openai-chat', baseUrl: url, ...LIMITS_MS })
  for (const [model, provider] of [
    ['steady', 'soak'],
    ['wild', 'soak'],
    ['twice', 'twice'],
  ])
    await put('PUT', `/v1/models/${model}`, { provider, pricing: PRICING, maxOutputTokens: 1000 })
}

async function terminate(gateway: GatewayProcess): Promise<void> {
  const startedAt = performance.now()
  const { code, stderr } = await gateway.terminate()
  const ms = Math.round(performance.now() - startedAt)
  if (code !== 0) figures.add('exited', `it exited with ${code} on SIGTERM: ${stderr.slice(-500)}`)
  if (ms > STOP_MS) figures.add('slowStop', `${ms} ms`)
  checkLog(stderr)
}

function checkLog(stderr: string): void {
  for (const line of stderr.split('\n')) if (/ error /.test(line)) figures.add('logged', line)
}

function sample<T>(from: Random, all: readonly T[], count: number): T[] {
  return all.length === 0 ? [] : Array.from({ length: count }, () => from.any(all))
}
