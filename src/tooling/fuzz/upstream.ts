// Fuzzes a gateway in this process with providers' responses: recordings of every API format, and of Amazon Bedrock, damaged
// in structure, bytes and HTTP. Each request must end in a valid response and be settled.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { createGateway } from '../../gateway/compose/gateway.ts'
import { createLog } from '../../gateway/platform/log.ts'
import { createMemoryCredentials, type TestClient, testClient } from '../../gateway/testing/gateway.ts'
import { randomForCase } from '../../gateway/testing/random.ts'
import { errorMessage } from '../../shared/values/text.ts'
import { describeFault, Findings } from '../findings.ts'
import { checkLedger } from './check-ledger.ts'
import { type ClientRequest, clientRequest } from './client-requests.ts'
import { correctResponse, damagedResponse, type Script } from './damaged-responses.ts'
import type { FuzzOptions } from './options.ts'
import { findFormat, readRecordings, SOURCES, type Source } from './recordings.ts'
import { startScriptedServer } from './scripted-server.ts'
import { findFlaw, type HttpResult } from './verdict.ts'

const LONGEST_MS = 30_000
/** After this many cases, the requests must be settled and their rows are checked. */
const BATCH = 1_000
const LIMITS_MS = { firstByteTimeoutMs: 400, stallTimeoutMs: 400, totalTimeoutMs: 4_000 }

interface Case {
  number: number
  source: Source
  stream: boolean
  request: ClientRequest
}

export async function fuzzUpstream(options: FuzzOptions): Promise<Findings> {
  const findings = new Findings()
  const note = (error: unknown) => findings.add(`uncaught: ${describeFault(error)}`, getStack(error))
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
  try {
    await runCases(options, findings)
  } finally {
    process.off('uncaughtException', note)
    process.off('unhandledRejection', note)
  }
  return findings
}

async function runCases({ count, seed, only, atOnce }: FuzzOptions, findings: Findings): Promise<void> {
  const attempts = new Map<number, number>()
  const server = await startScriptedServer((body) => {
    const number = Number(/case-(\d+)/.exec(body)?.[1] ?? -1)
    const nth = (attempts.get(number) ?? 0) + 1
    attempts.set(number, nth)
    const script = createScript(seed, createCase(seed, number), nth)
    if (only !== null) show(nth, script)
    return script
  })
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-fuzz-'))
  const log = createLog({
    write(level, message, { err }) {
      if (level !== 'error') return
      const line = err === undefined ? message : `${message}: ${errorMessage(err)}`
      findings.add(`in the log: ${summarize(line)}`, line)
    },
  })
  const gateway = await createGateway({
    dataDir,
    version: '0.0.0-fuzz',
    credentials: createMemoryCredentials(),
    log,
    interfaceDir: null,
    createAdminKey: true,
  })
  const { baseUrl } = await gateway.listen(0)
  const client = testClient(baseUrl, gateway.adminKey ?? '')
  await setUp(client, server.port)
  const pool = new Pool(baseUrl, { connections: atOnce, bodyTimeout: 0, headersTimeout: 0 })

  const startedAt = performance.now()
  const [first, end] = only === null ? [0, count] : [only, only + 1]
  for (let from = first; from < end; from += BATCH) {
    let next = from
    const caller = async () => {
      while (next < Math.min(from + BATCH, end)) {
        const one = createCase(seed, next++)
        const result = await send(pool, client.admin, one)
        if (only !== null)
          console.log(`response ${result.status} ${result.interrupted ?? ''}\n${result.text}`)
        findings.count(describeEnd(result))
        const flaw = findFlaw(result, one.request.path, one.stream)
        if (flaw !== null)
          findings.add(
            `${one.request.path.replace(/of-[a-z-]+/, 'M')} at ${one.source}: ${flaw}`,
            `${result.interrupted ?? ''} ${result.text.slice(-400)}`,
            one.number,
          )
      }
    }
    await Promise.all(Array.from({ length: atOnce }, caller))
    await checkLedger(client, findings, Math.min(BATCH, end - from), only !== null)
    attempts.clear()
    const seconds = (performance.now() - startedAt) / 1000
    const done = Math.min(from + BATCH, end) - first
    console.error(`${done} of ${end - first}, ${(done / seconds).toFixed(0)} a second`)
  }
  await pool.close()
  await gateway.close()
  await server.close()
  rmSync(dataDir, { recursive: true, force: true })
}

async function setUp(client: TestClient, port: number): Promise<void> {
  const limits = { requestsPerMinute: 1_000_000_000, tokensPerMinute: Number.MAX_SAFE_INTEGER }
  await client.call('PATCH', '/v1/settings', { body: { planLimits: { 'pay-as-you-go': limits } } })
  for (const source of SOURCES)
    await client.addProvider(source, `http://127.0.0.1:${port}/v1`, [`of-${source}`], {
      apiFormat: findFormat(source),
      ...LIMITS_MS,
    })
}

/** The request of a case: the same for the same seed and number. */
function createCase(seed: number, number: number): Case {
  const random = randomForCase(seed, number)
  const source = random.any(SOURCES)
  const stream = random.chance(0.6)
  const request = clientRequest({ model: `of-${source}`, prompt: `case-${number}`, stream }, random)
  return { number, source, stream, request }
}

function createScript(seed: number, { number, source, stream }: Case, nth: number): Script {
  const recordings = getRecordings(source)
  const random = randomForCase(seed + nth, number + 2 ** 30)
  return nth > 1 && random.chance(0.6)
    ? correctResponse(recordings, stream)
    : damagedResponse(recordings, stream, random)
}

const all = new Map<Source, ReturnType<typeof readRecordings>>()
function getRecordings(source: Source) {
  const known = all.get(source) ?? readRecordings(source)
  all.set(source, known)
  return known
}

async function send(pool: Pool, secret: string, { number, request }: Case): Promise<HttpResult> {
  const result: HttpResult = { status: 0, headers: {}, text: '', interrupted: null }
  try {
    const answer = await pool.request({
      path: request.path,
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'user-agent': `case-${number}`,
      },
      body: request.body,
      signal: AbortSignal.timeout(LONGEST_MS),
    })
    result.status = answer.statusCode
    result.headers = answer.headers
    for await (const part of answer.body.setEncoding('utf8')) result.text += part
  } catch (error) {
    result.interrupted = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  }
  return result
}

function describeEnd({ status, text }: HttpResult): string {
  if (status !== 200 || !/^(data|event): /.test(text)) return String(status)
  return /^data: .*"error":/m.test(text) ? 'failed stream' : 'complete stream'
}

function show(nth: number, { parts, end }: Script): void {
  console.log(`attempt ${nth}, then ${end}:`)
  for (const part of parts) console.log(JSON.stringify(part.toString('latin1')))
}

function getStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function summarize(line: string): string {
  return (
    line
      .split('\n')[0]
      ?.replaceAll(/\d+/g, 'N')
      .replaceAll(/req_\w+/g, 'ID')
      .slice(0, 150) ?? ''
  )
}
