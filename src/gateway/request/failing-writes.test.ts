// The n-th write of a request fails, for every n, until a request makes no write that fails: once, or with all after it.

import { expect, onTestFinished, test, vi } from 'vitest'
import type { RequestRecord } from '../../shared/api/requests.ts'
import { createFailingStore, type FailingStore } from '../testing/failing-store.ts'
import { startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { forTest } from '../testing/lifetime.ts'
import { nano } from '../testing/money.ts'
import { impatient } from '../testing/short-waits.ts'
import { billing, startTestUpstream } from '../upstream/testing/test-upstream.ts'

let disk: FailingStore

vi.mock(import('../store/store.ts'), async (importOriginal) => {
  const original = await importOriginal()
  return {
    ...original,
    async openStore(options) {
      disk = createFailingStore(await original.openStore(options))
      return disk.store
    },
  }
})

const respond = billing(500, 300)
/** At 1 USD and 2 USD per million tokens. */
const ANSWER_NANO = 500 * 1_000 + 300 * 2_000

interface Told {
  id: string | null
  status: number
  text: string
  /** Null where the client has received no cost. */
  costNano: number | null
  isWhole: boolean
}

interface Question {
  path: string
  stream: boolean
  /** The Idempotency-Key. */
  key: string | null
  prompt: string
}

async function ask(tollgate: TestGateway, { path, stream, key, prompt }: Question): Promise<Told> {
  const messages = [{ role: 'user', content: prompt }]
  const format = {
    '/v1/chat/completions': { messages, ...(stream ? { stream_options: { include_usage: true } } : {}) },
    '/v1/messages': { messages, max_tokens: 1000 },
    '/v1/responses': { input: messages },
  }[path]
  const response = await fetch(tollgate.baseUrl + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tollgate.admin}`,
      'content-type': 'application/json',
      ...(key === null ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify({ model: 'fine', stream, ...format }),
  })
  const text = await response.text()
  const cost = /"cost":([\d.e-]+)/.exec(text)?.[1] ?? response.headers.get('x-service-cost-usd')
  return {
    id: response.headers.get('x-service-request-id'),
    status: response.status,
    text,
    costNano: cost ? Math.round(Number(cost) * 1e9) : null,
    isWhole: stream ? /\[DONE\]|message_stop|response\.completed/.test(text) : response.status === 200,
  }
}

const CASES = ['/v1/chat/completions', '/v1/messages', '/v1/responses'].flatMap((path) =>
  [false, true].flatMap((stream) => [false, true].map((hasKey) => [path, stream, hasKey] as const)),
)

test.each(CASES)('%s, stream %s, with an Idempotency-Key %s', async (path, stream, hasKey) => {
  const received: string[] = []
  const upstream = await startTestUpstream((exchange) => {
    received.push(/(?:at|from) write \d+/.exec(exchange.request.body)?.[0] ?? '')
    return respond(exchange)
  })
  onTestFinished(() => upstream.close())
  const tollgate = await forTest(startTestGateway({ clock: impatient }))
  await tollgate.addProvider('acme', upstream.url, ['fine'])
  const ids = new Map<string, (string | null)[]>()

  for (const lasting of [false, true]) {
    let failed = true
    for (let n = 1; failed; n += 1) {
      const point = `${lasting ? 'from' : 'at'} write ${n}`
      expect(n, point).toBeLessThan(20)
      const request = { path, stream, key: hasKey ? point.replaceAll(' ', '-') : null, prompt: point }
      disk.failNth(n, lasting)
      const told = await ask(tollgate, request)
      ids.set(point, [told.id])
      failed = disk.hasFailed()
      disk.recover()
      if (!told.isWhole) expect(told.text, point).toMatch(/disk is full/i)
      expect(told.costNano, point).toBe(told.isWhole ? ANSWER_NANO : null)
      await vi.waitFor(() => expectBalanced(tollgate, point), 10_000)
      if (!hasKey) continue
      // A repetition gets the answer if the first did, and is never a second call.
      const again = await ask(tollgate, request)
      ids.get(point)?.push(again.id)
      if (told.isWhole) expect(again.text, point).toBe(told.text)
      expect(received.filter((each) => each === point).length, point).toBeLessThanOrEqual(1)
    }
  }

  // Each request that was sent has one row, whose cost is what its provider bills, or a range that holds it.
  await vi.waitFor(async () => {
    await expectBalanced(tollgate, 'at the end')
    const records = await tollgate.records()
    const isBilled = ({ costStatus, costUsd, costHighUsd }: RequestRecord) =>
      costStatus === 'exact'
        ? nano(costUsd) === ANSWER_NANO
        : costStatus === 'unsettled' && nano(costHighUsd) >= ANSWER_NANO
    for (const point of received) {
      const rows = records.filter(({ id }) => ids.get(point)?.includes(id))
      expect(rows.filter(isBilled).length, point).toBeGreaterThan(0)
    }
  }, 10_000)
  const { spendUsd } = await tollgate.getAccount()
  await tollgate.restart()
  expect((await tollgate.getAccount()).spendUsd).toBeCloseTo(spendUsd, 9)
})

/** Nothing is reserved or running, and the spend is that of all rows. */
async function expectBalanced(tollgate: TestGateway, point: string): Promise<void> {
  const records = await tollgate.records()
  expect(
    records.filter(({ status }) => status === 'running'),
    point,
  ).toEqual([])
  const { spendUsd, reservedUsd } = await tollgate.getAccount()
  expect(reservedUsd, point).toBe(0)
  const charged = records.reduce((sum, { costUsd }) => sum + nano(costUsd ?? 0), 0)
  expect(nano(spendUsd), point).toBe(charged)
}
