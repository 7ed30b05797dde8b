// `npm run soak`: runs the headless program on one data dir under load and kills it at random moments. After each restart,
// its ledger is compared with what the clients received. Exits with 1 when it finds a fault.
import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startProgram } from '../../contract/testing/program.ts'
import { raiseLimits } from '../../gateway/testing/gateway.ts'
import { newSeed, type Random, randomForCase } from '../../gateway/testing/random.ts'
import { median } from '../bench/statistics.ts'
import { Findings } from '../findings.ts'
import { checkLog } from '../fuzz/program.ts'
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
import { readProcessState } from './process-state.ts'
import { type MisbehavingUpstream, startMisbehavingUpstream } from './upstream.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})

/** After SIGTERM, running requests have 5 s; a busy machine needs a little longer. */
const STOP_MS = 8_000
const KILL_AFTER_MS = 30_000
const CALLERS = 12
/** How many idempotent calls of earlier rounds are repeated after each restart. */
const REPLAYS = 8
/** A credential in memory would end with the program. */
const PROVIDER = {
  connectTimeoutMs: 1000,
  firstByteTimeoutMs: 400,
  stallTimeoutMs: 400,
  credential: undefined,
}

const seed = values.seed === undefined ? newSeed() : Number(values.seed)
const random = randomForCase(seed)
const findings = new Findings()
const expectations = new Expectations()
const audit = new Audit(expectations, findings)
const until = values.seconds === undefined ? Number.POSITIVE_INFINITY : Number(values.seconds) * 1000
const rounds = values.seconds === undefined ? Number(values.rounds) : Number.POSITIVE_INFINITY
const upstreams = {
  soak: await startMisbehavingUpstream(random),
  twice: await startMisbehavingUpstream(random),
}
const getUpstream = (model: string): MisbehavingUpstream =>
  model === 'twice' ? upstreams.twice : upstreams.soak
const restartMs: number[] = []
let peakRssMiB = 0

console.log(`seed ${seed}`)
const program = await startProgram()
await setUp()
const startedAt = performance.now()
for (let round = 1; round <= rounds && performance.now() - startedAt < until; round++) {
  await runRound(round)
  await restart()
  if (round % 10 === 0) console.error(`round ${round}: ${findings.formatCounts()}`)
}
const client = new Client(program.baseUrl)
await audit.run(client, program.admin, true)
client.close()
await terminate()
await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()))
const { dataDir } = program
if (!values.keep) rmSync(dataDir, { recursive: true, force: true })
console.log(`seed ${seed}${values.keep ? `, data in ${dataDir}` : ''}; ${findings.formatCounts()}`)
console.log(
  `restart: median ${median(restartMs)} ms, worst ${Math.max(...restartMs)} ms; peak RSS ${peakRssMiB} MiB`,
)
if (expectations.acknowledged.size === 0) findings.add('no acknowledged charges', 'the run compared nothing')
console.log(findings.report())
process.exitCode = findings.any ? 1 : 0

async function runRound(round: number): Promise<void> {
  const { admin } = program
  const client = new Client(program.baseUrl)
  const load: Load = { client, program, expectations, findings, random, getUpstream, stopped: false }
  if (round > 1) {
    await audit.run(load.client, admin)
    await checkRevoked(load)
    for (const call of expectations.unacknowledged.splice(0))
      if (!isRevoking(expectations, call)) await sendCall(load, call, false)
    const usable = expectations.replayable.filter(({ call }) => !isRevoking(expectations, call))
    for (const first of sample(random, usable, REPLAYS)) await compareReplay(load, first)
  }
  await fillKeys(load)
  for (const upstream of Object.values(upstreams)) upstream.forget()

  const callers = Promise.all(Array.from({ length: CALLERS }, () => callUntilStopped(load)))
  const early = await Promise.race([delay(random.between(100, 1500), null), program.getEnd()])
  if (early) findings.add('unexpected exits of the program', early.stderr.slice(-500))
  load.stopped = true
  const kind = random.below(10)
  if (kind === 0) {
    // No more requests: everything must be settled without a restart.
    await callers
    await audit.run(load.client, admin)
  }
  peakRssMiB = Math.max(peakRssMiB, readProcessState(program.pid).peakMiB)
  if (kind === 1) await terminate()
  else {
    findings.count('kills')
    checkLog(findings, (await program.kill()).stderr)
  }
  await callers
  load.client.close()
}

async function restart(): Promise<void> {
  const restartedAt = performance.now()
  await program.start()
  restartMs.push(Math.round(performance.now() - restartedAt))
}

async function setUp(): Promise<void> {
  await raiseLimits(program)
  await program.addProvider('soak', upstreams.soak.url, ['steady', 'wild'], PROVIDER)
  await program.addProvider('twice', upstreams.twice.url, ['twice'], PROVIDER)
}

async function terminate(): Promise<void> {
  const stoppedAt = performance.now()
  const timer = setTimeout(() => program.kill(), KILL_AFTER_MS)
  const { code, stderr } = await program.terminate().finally(() => clearTimeout(timer))
  const ms = Math.round(performance.now() - stoppedAt)
  if (code !== 0)
    findings.add(
      'unexpected exits of the program',
      `it exited with ${code} on SIGTERM: ${stderr.slice(-500)}`,
    )
  if (ms > STOP_MS) findings.add('slow stops', `${ms} ms`)
  checkLog(findings, stderr)
}

function sample<T>(from: Random, all: readonly T[], count: number): T[] {
  return all.length === 0 ? [] : Array.from({ length: count }, () => from.any(all))
}
