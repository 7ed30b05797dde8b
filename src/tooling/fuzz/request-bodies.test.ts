// FUZZ_CASES sets the number of requests. A million take minutes, which is too long for every test run.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasStreamEnd, isErrorFor } from '../../contract/testing/answer-form.ts'
import { raiseLimits, startTestGateway } from '../../gateway/testing/gateway.ts'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { randomForCase } from '../../gateway/testing/random.ts'
import { createBody } from './raw-requests.ts'
import { TEMPLATES } from './request-templates.ts'

const CASES = Number(process.env.FUZZ_CASES ?? 1_000)
const AT_ONCE = 100
const LONGEST_MS = 10_000

const tollgate = await forFile(startTestGateway())
const owner = (method: string, path: string, body: unknown) =>
  tollgate.gateway.fetchAsOwner(
    new Request(`http://gateway.test${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body),
    }),
  )
await raiseLimits(tollgate)
// A model without a known output limit, so that the reservation depends on the request alone.
await owner('PUT', '/v1/models/unlimited', {
  provider: 'sandbox',
  upstreamModel: 'sandbox-small',
  maxOutputTokens: null,
  contextWindow: null,
})
const { id } = await tollgate.createKey({ name: 'fuzzed', scope: 'full' })

const templates = TEMPLATES.filter(
  ({ path, body }) =>
    body !== undefined && /^\/v1(beta)?\/(chat|responses|messages|keys|pricing|models\/[^/]+:)/.test(path),
)

interface Case {
  method: string
  path: string
  body: Buffer
}

function createCase(seed: number): Case {
  const random = randomForCase(seed)
  const { method, path, body: good } = random.pick(templates)
  const model = random.any(['sandbox-small', 'sandbox-large', 'unlimited', 'none'])
  const body = good instanceof Object && 'model' in good ? { ...good, model } : (good ?? null)
  return { method, path: path.replace('KEY', id), body: createBody(body, random) }
}

/** Describes what is wrong with the response to a request; null if nothing is. */
async function findFlaw({ method, path, body }: Case): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), LONGEST_MS)
  })
  const answer = owner(method, path, body).then(async (response) => ({
    response,
    text: await response.text(),
  }))
  const ended = await Promise.race([answer, late]).finally(() => clearTimeout(timer))
  if (!ended) return 'no response'
  const { response, text } = ended
  if (response.status >= 500) return `status ${response.status}: ${text}`
  if (!response.headers.has('x-service-request-id')) return 'no request id'
  if (response.status < 400) {
    return response.headers.get('content-type')?.startsWith('text/event-stream') && !hasStreamEnd(path, text)
      ? `the stream did not end well: ${text.slice(-300)}`
      : null
  }
  return text !== '' && isErrorFor(path, JSON.parse(text)) ? null : `not the envelope: ${text}`
}

test(
  'any body of an inference, key or estimate request: no 5xx of the gateway, no hang, always the format’s envelope',
  async () => {
    const batch = fc.array(fc.nat().map(createCase), { minLength: AT_ONCE, maxLength: AT_ONCE })
    await fc.assert(
      fc.asyncProperty(batch, async (requests) => {
        const flaws = await Promise.all(requests.map(findFlaw))
        const found = flaws.flatMap((what, at) =>
          what === null ? [] : [{ what, request: requests[at]?.path, body: String(requests[at]?.body) }],
        )
        expect(found).toEqual([])
      }),
      { numRuns: Math.ceil(CASES / AT_ONCE), endOnFailure: true },
    )
    const { json } = await tollgate.call('GET', '/v1/account')
    expect(json.reservedUsd).toBe(0)
  },
  Math.max(60_000, CASES * 3),
)
