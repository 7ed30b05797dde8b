// Providers' responses: recordings of every API format, and of Amazon Bedrock, damaged in structure, bytes and HTTP. Each request
// must end in a valid response and be settled.
import { z } from 'zod'
import type { Program } from '../../contract/testing/program.ts'
import { randomForCase } from '../../gateway/testing/random.ts'
import { RequestRecord } from '../../shared/api/requests.ts'
import type { Findings } from '../findings.ts'
import { Client, type ReceivedResponse } from '../soak/client.ts'
import { type ClientRequest, clientRequest } from './client-requests.ts'
import { correctResponse, damagedResponse, type Script } from './damaged-responses.ts'
import { type FuzzOptions, type Suite, waitUntilQuiet } from './program.ts'
import { findFormat, type Recordings, readRecordings, SOURCES, type Source } from './recordings.ts'
import { startScriptedServer } from './scripted-server.ts'
import { findFlaw } from './verdict.ts'

const LIMITS_MS = { firstByteTimeoutMs: 400, stallTimeoutMs: 400, totalTimeoutMs: 4_000 }
/** No request of a hundred bytes can cost more than this, whatever its response reports. */
const IMPLAUSIBLE_USD = 1_000

interface Case {
  source: Source
  stream: boolean
  request: ClientRequest
}

export async function startUpstream(
  program: Program,
  findings: Findings,
  { seed, only }: FuzzOptions,
): Promise<Suite> {
  const attempts = new Map<number, number>()
  const recordings = new Map(SOURCES.map((source) => [source, readRecordings(source)]))
  const server = await startScriptedServer((body) => {
    const number = Number(/case-(\d+)/.exec(body)?.[1] ?? -1)
    const attempt = (attempts.get(number) ?? 0) + 1
    attempts.set(number, attempt)
    const script = createScript(seed, number, attempt, recordings)
    if (only !== null) show(attempt, script)
    return script
  })
  for (const source of SOURCES)
    await program.addProvider(source, `http://127.0.0.1:${server.port}/v1`, [`of-${source}`], {
      apiFormat: findFormat(source),
      ...LIMITS_MS,
    })
  const client = new Client(program.baseUrl)
  return {
    run: (number) => ({ count: 1, ended: runCase(number) }),
    async check(cases) {
      await waitUntilQuiet(program, findings)
      await checkRows(program, findings, cases, only !== null)
      attempts.clear()
    },
    async close() {
      client.close()
      await server.close()
    },
  }

  async function runCase(number: number): Promise<void> {
    const { source, stream, request } = createCase(seed, number)
    const { path, body } = request
    const headers = { 'user-agent': `case-${number}` }
    const received = await client.send({ path, body, secret: program.admin, headers, ownConnection: true })
    if (only !== null) console.log(`response ${received.status}\n${received.text}`)
    findings.count(describeEnd(received))
    const flaw = findFlaw(received, path, stream)
    const what = `${path.replace(/of-[a-z-]+/, 'M')} at ${source}: ${flaw}`
    if (flaw !== null) findings.add(what, received.text.slice(-400), number)
  }
}

/** The request of a case: the same for the same seed and number. */
function createCase(seed: number, number: number): Case {
  const random = randomForCase(seed, number)
  const source = random.any(SOURCES)
  const stream = random.chance(0.6)
  const request = clientRequest({ model: `of-${source}`, prompt: `case-${number}`, stream }, random)
  return { source, stream, request }
}

function createScript(
  seed: number,
  number: number,
  attempt: number,
  recordings: ReadonlyMap<Source, Recordings>,
): Script {
  const { source, stream } = createCase(seed, number)
  const recorded = recordings.get(source)
  if (!recorded) throw new RangeError(`There are no recordings of ${source}.`)
  const random = randomForCase(seed + attempt, number + 2 ** 30)
  return attempt > 1 && random.chance(0.6)
    ? correctResponse(recorded, stream)
    : damagedResponse(recorded, stream, random)
}

function describeEnd({ status, text }: ReceivedResponse): string {
  if (status !== 200 || !/^(data|event): /.test(text)) return String(status)
  return /^data: .*"error":/m.test(text) ? 'failed stream' : 'complete stream'
}

function show(attempt: number, { parts, end }: Script): void {
  console.log(`attempt ${attempt}, then ${end}:`)
  for (const part of parts) console.log(JSON.stringify(part.toString('latin1')))
}

/** Rows as the API returns them: an invalid one is a finding. */
const Row = z.looseObject({ client: z.string().nullable(), provider: z.string().nullable() })
const Page = z.object({ data: z.array(Row), nextCursor: z.string().nullable() })

/** Checks the newest rows: none may run, and no charge may be negative or implausible. */
async function checkRows(
  program: Program,
  findings: Findings,
  rows: number,
  verbose: boolean,
): Promise<void> {
  let query = ''
  for (let read = 0; read < rows; ) {
    const page = Page.parse((await program.call('GET', `/v1/requests?limit=500${query}`)).json)
    for (const row of page.data) {
      read++
      if (verbose) console.log(JSON.stringify(row))
      const flaw = findRowFlaw(row)
      const number = Number(row.client?.slice('case-'.length))
      if (flaw !== null) findings.add(`${row.provider}: ${flaw}`, JSON.stringify(row), number)
    }
    if (page.nextCursor === null) return
    query = `&cursor=${encodeURIComponent(page.nextCursor)}`
  }
}

function findRowFlaw(row: z.infer<typeof Row>): string | null {
  const record = RequestRecord.safeParse(row)
  if (!record.success) {
    const [issue] = record.error.issues
    return `a row with a wrong ${issue?.path.map((step) => (typeof step === 'number' ? 'N' : String(step))).join('.')}`
  }
  const { status, costUsd, costStatus, tokensOut, stream } = record.data
  if (status === 'running') return 'a row left running'
  if (costUsd === null) return 'a charge without a price'
  if (costUsd < 0) return 'a negative charge'
  if (costUsd > IMPLAUSIBLE_USD) return `an implausible charge with status ${costStatus}`
  if (status === 'succeeded' && costStatus === 'exact' && costUsd === 0)
    return `a response without a cost (${stream ? 'stream' : 'plain'}, ${tokensOut === 0 ? 'no' : 'some'} tokens out)`
  return null
}
