// Requests over raw sockets. Each must get a valid response.
import type { Program } from '../../contract/testing/program.ts'
import { randomForCase } from '../../gateway/testing/random.ts'
import { KeyCreated } from '../../shared/api/keys.ts'
import type { Findings } from '../findings.ts'
import { type Exchange, exchange } from './connection.ts'
import type { FuzzOptions, Suite } from './program.ts'
import { type FuzzTarget, type RawRequest, rawRequest } from './raw-requests.ts'
import { checkResponses, text } from './request-verdict.ts'

/** Pipelined requests on one connection. */
const PIPELINED = 6

export async function startRequests(
  program: Program,
  findings: Findings,
  { seed, only }: FuzzOptions,
): Promise<Suite> {
  const port = Number(new URL(program.baseUrl).port)
  const target: FuzzTarget = { host: `127.0.0.1:${port}`, ...(await createKeys(program, program.admin)) }
  return {
    run(first, end) {
      const batch = createBatch(target, seed, first, Math.min(PIPELINED, end - first))
      return { count: batch.length, ended: send(batch, first) }
    },
    async check() {
      // Keys are limited to 600 requests a minute outside inference, so that others take their place.
      Object.assign(target, await createKeys(program, target.secrets.admin))
    },
  }

  async function send(batch: readonly RawRequest[], first: number): Promise<void> {
    const partBytes = randomForCase(seed, first).any([100, 1_000, 100_000])
    const result = await exchange(port, batch, partBytes)
    if (only !== null) show(batch, result)
    checkResponses(findings, batch, result, first)
  }
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

/** Creates a key of each kind, with the admin key `as`. */
async function createKeys(program: Program, as: string): Promise<Pick<FuzzTarget, 'secrets' | 'keyId'>> {
  const create = async (body: object) =>
    KeyCreated.parse((await program.call('POST', '/v1/keys', { as, body })).json)
  const [admin, full, readOnly, capped] = await Promise.all([
    create({ name: 'admin', scope: 'admin' }),
    create({ name: 'full', scope: 'full' }),
    create({ name: 'read-only', scope: 'read-only' }),
    create({ name: 'capped', scope: 'full', spendLimitUsd: 0.01 }),
  ])
  const secrets = { admin: admin.secret, full: full.secret, readOnly: readOnly.secret, capped: capped.secret }
  return { secrets, keyId: capped.id }
}

function show(batch: readonly RawRequest[], { responses, fault }: Exchange): void {
  for (const request of batch) console.log(text(request))
  for (const { status, headers, body } of responses) console.log(status, Object.fromEntries(headers), body)
  if (fault !== null) console.log(fault)
}
