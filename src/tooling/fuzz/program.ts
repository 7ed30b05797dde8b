// Runs the cases of a suite against the headless program. At the end, no reservation, running row or open file descriptor may
// remain, and the log must not contain an error.
import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Program, startProgram } from '../../contract/testing/program.ts'
import { raiseLimits, type TestClient } from '../../gateway/testing/gateway.ts'
import { Account } from '../../shared/api/account.ts'
import { Findings } from '../findings.ts'
import { type ProcessState, readProcessState } from '../soak/process-state.ts'

export interface FuzzOptions {
  count: number
  seed: number
  /** Runs only this case, and prints what is sent and received. */
  only: number | null
  atOnce: number
}

export interface Suite {
  /** Runs case `first`, and further ones before `end` if it wants to. Returns their number. */
  run(first: number, end: number): { count: number; ended: Promise<void> }
  /** Called when so many cases have ended, before others begin. */
  check?(cases: number): Promise<void>
  close?(): Promise<void>
}

export type StartSuite = (program: Program, findings: Findings, options: FuzzOptions) => Promise<Suite>

const BATCH = 1_000
const QUIET_MS = 20_000
/** Files that the program opens while it runs: backups, workers. */
const SPARE_DESCRIPTORS = 10

export async function fuzzProgram(start: StartSuite, options: FuzzOptions): Promise<Findings> {
  const { count, only } = options
  const findings = new Findings()
  const program = await startProgram()
  await warmUp(program)
  const suite = await start(program, findings, options)
  const earlier = readProcessState(program.pid)
  const cases = runCases(suite, only === null ? [0, count] : [only, only + 1], options.atOnce)
  const early = await Promise.race([cases.then(() => null), program.getEnd()])
  // The connections to a provider are open until then.
  await suite.close?.()
  if (early) findings.add('the program exited by itself', 'see the log below')
  else await checkLeftovers(program, findings, earlier)
  const { code, stderr } = await program.terminate()
  if (code !== 0) findings.add(`the program ended with ${code}`, stderr.slice(-600))
  checkLog(findings, stderr)
  rmSync(program.dataDir, { recursive: true, force: true })
  return findings
}

/** A finding for each error in the program's log. */
export function checkLog(findings: Findings, log: string): void {
  for (const line of log.split('\n').filter((one) => / error /.test(one))) {
    const fault = line.replace(/^\S+ /, '').replaceAll(/\d+|req_\w+/g, 'N')
    findings.add(`in the log: ${fault.slice(0, 120)}`, line)
  }
}

/** The threads that read and that count tokens start when they are first used: their descriptors are no leak. */
async function warmUp(client: TestClient): Promise<void> {
  await raiseLimits(client)
  await client.call('GET', '/v1/requests')
  const messages = [{ role: 'user', content: 'Hello' }]
  await client.call('POST', '/v1/messages/count_tokens', { body: { model: 'sandbox-small', messages } })
}

async function runCases(
  suite: Suite,
  [first, end]: readonly [number, number],
  atOnce: number,
): Promise<void> {
  const startedAt = performance.now()
  for (let from = first; from < end; from += BATCH) {
    const until = Math.min(from + BATCH, end)
    let next = from
    const caller = async () => {
      while (next < until) {
        const { count, ended } = suite.run(next, until)
        next += count
        await ended
      }
    }
    await Promise.all(Array.from({ length: atOnce }, caller))
    await suite.check?.(until - from)
    const rate = (until - first) / ((performance.now() - startedAt) / 1000)
    console.error(`${until - first} of ${end - first}, ${rate.toFixed(0)} a second`)
  }
}

/** Waits until nothing is reserved. */
export async function waitUntilQuiet(client: TestClient, findings: Findings): Promise<void> {
  const read = async () => Account.parse((await client.call('GET', '/v1/account')).json).reservedUsd
  const until = performance.now() + QUIET_MS
  while ((await read()) !== 0 && performance.now() < until) await delay(100)
  const reservedUsd = await read()
  if (reservedUsd !== 0) findings.add('a reservation without a request in flight', `$${reservedUsd}`)
}

async function checkLeftovers(program: Program, findings: Findings, earlier: ProcessState): Promise<void> {
  await waitUntilQuiet(program, findings)
  const most = earlier.descriptors + SPARE_DESCRIPTORS
  const until = performance.now() + QUIET_MS
  while (readProcessState(program.pid).descriptors > most && performance.now() < until) await delay(200)
  const { json } = await program.call('GET', '/v1/requests?status=running')
  if (json.data.length > 0) findings.add('rows left running', JSON.stringify(json.data[0]))
  const { descriptors, rssMiB, peakMiB } = readProcessState(program.pid)
  const opened = `descriptors ${earlier.descriptors}, then ${descriptors}`
  console.log(`${opened}; RSS ${rssMiB} MiB, at most ${peakMiB} MiB`)
  if (descriptors > most) findings.add('descriptors left open', opened)
}
