// Fuzzes the headless program with requests over raw sockets. Each must get a valid response. At the end, no
// reservation, running row or open file descriptor may remain, and the log must not contain an error.
import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { startProgram } from '../../contract/testing/program.ts'
import type { TestClient } from '../../gateway/testing/gateway.ts'
import { randomForCase } from '../../gateway/testing/random.ts'
import { Account } from '../../shared/api/account.ts'
import { KeyCreated } from '../../shared/api/keys.ts'
import { Findings } from '../findings.ts'
import { readProcessState } from '../soak/process-state.ts'
import { type Exchange, exchange } from './connection.ts'
import type { FuzzOptions } from './options.ts'
import { type FuzzTarget, type RawRequest, rawRequest } from './raw-requests.ts'
import { checkResponses, text } from './request-verdict.ts'

/** Pipelined requests on one connection. */
const PIPELINED = 6
const REPORT_INTERVAL = 20_000
const QUIET_MS = 20_000
/** Keys are limited to 600 requests a minute outside inference, so that others take their place. */
const REQUESTS_OF_KEYS = 1_000
/** Files that the program opens while it runs: backups, workers. */
const SPARE_DESCRIPTORS = 10

export async function fuzzRequests({ count, seed, only, atOnce }: FuzzOptions): Promise<Findings> {
  const findings = new Findings()
  const program = await startProgram()
  const port = Number(new URL(program.baseUrl).port)
  const target = await setUp(program, port)
  const before = readProcessState(program.pid)
  const startedAt = performance.now()
  let next = only ?? 0
  const end = only === null ? count : only + 1
  let reportedAt = 0
  let renewedAt = 0
  const connection = async () => {
    while (next < end) {
      if (next - renewedAt >= REQUESTS_OF_KEYS) {
        renewedAt = next
        Object.assign(target, await createKeys(program, target.secrets.admin))
      }
      const first = next
      const batch = createBatch(target, seed, first, only === null ? Math.min(PIPELINED, end - first) : 1)
      next += batch.length
      const random = randomForCase(seed, first)
      const result = await exchange(port, batch, random.any([100, 1_000, 100_000]))
      if (only !== null) show(batch, result)
      checkResponses(findings, batch, result, first)
      if (next - reportedAt >= REPORT_INTERVAL) {
        reportedAt = next
        const rate = next / ((performance.now() - startedAt) / 1000)
        const { rssMiB } = readProcessState(program.pid)
        console.error(`${next} of ${end}, ${rate.toFixed(0)} a second, RSS ${rssMiB} MiB`)
      }
    }
  }
  const all = Promise.all(Array.from({ length: atOnce }, connection)).then(() => null)
  const early = await Promise.race([all, program.getEnd()])
  if (early) findings.add('the program exited by itself', 'see the log below', next)
  else await checkLeftovers(program, findings, before.descriptors)
  const { code, stderr } = await program.terminate()
  if (code !== 0) findings.add(`the program ended with ${code}`, stderr.slice(-600))
  for (const line of stderr.split('\n').filter((one) => / error /.test(one))) {
    findings.add(
      `in the log: ${line
        .replace(/^\S+ /, '')
        .replaceAll(/\d+|req_\w+/g, 'N')
        .slice(0, 120)}`,
      line,
    )
  }
  rmSync(program.dataDir, { recursive: true, force: true })
  return findings
}

/** The next requests; one that may close the connection is sent on its own connection. */
function createBatch(target: FuzzTarget, seed: number, first: number, most: number): RawRequest[] {
  const batch: RawRequest[] = []
  for (let number = first; number < first + most; number++) {
    const request = rawRequest(target, randomForCase(seed, number))
    if (request.kind !== 'framed' && batch.length > 0) break
    batch.push(request)
    if (request.kind !== 'framed') break
  }
  return batch
}

async function setUp(client: TestClient, port: number): Promise<FuzzTarget> {
  const limits = { requestsPerMinute: 1_000_000_000, tokensPerMinute: Number.MAX_SAFE_INTEGER }
  await client.call('PATCH', '/v1/settings', {
    body: { planLimits: { 'pay-as-you-go': limits, bundle: limits } },
  })
  // The threads that read and that count tokens start when they are first used: their descriptors are no leak.
  await client.call('GET', '/v1/requests')
  await client.call('POST', '/v1/messages/count_tokens', {
    body: { model: 'sandbox-small', messages: [{ role: 'user', content: 'Hello' }] },
  })
  return { host: `127.0.0.1:${port}`, ...(await createKeys(client, client.admin)) }
}

/** Creates a key of each kind, with the admin key `as`. */
async function createKeys(client: TestClient, as: string): Promise<Pick<FuzzTarget, 'secrets' | 'keyId'>> {
  const create = async (body: object) =>
    KeyCreated.parse((await client.call('POST', '/v1/keys', { as, body })).json)
  const [admin, full, readOnly, capped] = await Promise.all([
    create({ name: 'admin', scope: 'admin' }),
    create({ name: 'full', scope: 'full' }),
    create({ name: 'read-only', scope: 'read-only' }),
    create({ name: 'capped', scope: 'full', spendLimitUsd: 0.01 }),
  ])
  const secrets = { admin: admin.secret, full: full.secret, readOnly: readOnly.secret, capped: capped.secret }
  return { secrets, keyId: capped.id }
}

async function checkLeftovers(
  program: TestClient & { pid: number },
  findings: Findings,
  descriptors: number,
): Promise<void> {
  const account = async () => Account.parse((await program.call('GET', '/v1/account')).json)
  const isQuiet = async () =>
    (await account()).reservedUsd === 0 &&
    readProcessState(program.pid).descriptors <= descriptors + SPARE_DESCRIPTORS
  const until = performance.now() + QUIET_MS
  while (!(await isQuiet()) && performance.now() < until) await delay(200)
  const { reservedUsd } = await account()
  const { json } = await program.call('GET', '/v1/requests?status=running')
  const after = readProcessState(program.pid)
  console.log(
    `descriptors ${descriptors}, then ${after.descriptors}; RSS ${after.rssMiB} MiB, at most ${after.peakMiB} MiB`,
  )
  if (reservedUsd !== 0) findings.add('a reservation without a request in flight', `$${reservedUsd}`)
  if (json.data.length > 0) findings.add('rows left running', JSON.stringify(json.data[0]))
  if (after.descriptors > descriptors + SPARE_DESCRIPTORS)
    findings.add('descriptors left open', `${descriptors} before, ${after.descriptors} after`)
}

function show(batch: readonly RawRequest[], { responses, fault }: Exchange): void {
  for (const request of batch) console.log(text(request))
  for (const { status, headers, body } of responses) console.log(status, Object.fromEntries(headers), body)
  if (fault !== null) console.log(fault)
}
