// A power cut at any write loses no request of which a client had a byte, and no cost that it has received.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { TestClient } from '../gateway/testing/gateway.ts'
import { forEachTest } from '../gateway/testing/lifetime.ts'
import { nano } from '../gateway/testing/money.ts'
import { billing, startTestUpstream, type TestExchange } from '../gateway/upstream/testing/test-upstream.ts'
import { RequestList } from '../shared/api/request-queries.ts'
import { PreloadedPrograms } from './testing/preloaded.ts'

const programs = forEachTest(async () => new PreloadedPrograms())

/** The provider's answers cost different amounts: its prompt says how many tokens it bills. */
function respond(exchange: TestExchange): void {
  const tokens = Number(/bill (\d+)/.exec(exchange.request.body)?.[1])
  billing(tokens, 10, {}, 'Hello')(exchange)
}

interface Told {
  /** The requests of which a client had at least the headers. */
  answered: Set<string>
  /** The costs that clients have received, in nano-dollars. */
  costs: Map<string, number>
}

async function callUntilCut({ baseUrl, admin }: TestClient, stream: boolean, told: Told): Promise<void> {
  for (let round = 0; ; round += 1) {
    const body = {
      ...{ model: 'fine', stream, stream_options: stream ? { include_usage: true } : undefined },
      messages: [{ role: 'user', content: `bill ${1000 + (round % 500)}` }],
    }
    const response = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const id = response.headers.get('x-service-request-id') ?? ''
    told.answered.add(id)
    let text = ''
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      const cost = /"cost":([\d.e-]+)[,}]/.exec(text)?.[1]
      if (cost) told.costs.set(id, nano(Number(cost)))
    }
  }
}

async function listRecords(client: TestClient) {
  const all: z.infer<typeof RequestList>['data'] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = RequestList.parse((await client.call('GET', `/v1/requests?limit=500${next}`)).json)
    all.push(...page.data)
    cursor = page.nextCursor
  }
  return new Map(all.map((record) => [record.id, record]))
}

let undone = 0

test.skipIf(process.platform !== 'linux').each([11, 58, 103, 251, 402, 777])(
  'a power cut after %i writes loses nothing that a client has received',
  async (writes) => {
    const cutFile = join(programs.folder, 'cut')
    const env = { CUT_DIR: programs.dataDir, CUT_FILE: cutFile, CUT_SYNC_US: '4000' }
    const first = await programs.start('power-cut', env)
    const upstream = await startTestUpstream(respond)
    await first.addProvider('acme', upstream.url, ['fine'])
    const told: Told = { answered: new Set(), costs: new Map() }
    const callers = Array.from({ length: 12 }, (_, at) => callUntilCut(first, at % 2 === 0, told))
    const stopped = Promise.allSettled(callers)
    await expect.poll(() => told.costs.size).toBeGreaterThan(20)
    const spentBefore = nano((await first.getAccount()).spendUsd)
    writeFileSync(cutFile, String(writes))
    await first.ended
    await stopped
    undone += Number(/undone (\d+)/.exec(readFileSync(cutFile, 'utf8'))?.[1])

    const second = await programs.start(null)
    const records = await listRecords(second)
    expect([...told.answered].filter((id) => !records.has(id))).toEqual([])
    const wrong = [...told.costs].filter(
      ([id, cost]) => nano(records.get(id)?.costUsd) !== cost || records.get(id)?.costStatus !== 'exact',
    )
    expect(wrong).toEqual([])
    const { spendUsd, reservedUsd } = await second.getAccount()
    expect(nano(spendUsd)).toBeGreaterThanOrEqual(spentBefore)
    expect(nano(spendUsd)).toBe([...records.values()].reduce((sum, row) => sum + nano(row.costUsd ?? 0), 0))
    expect(reservedUsd).toBe(0)
    second.child.kill('SIGTERM')
    await second.ended
    await upstream.close()
  },
)

test.skipIf(process.platform !== 'linux')('the cuts above have undone writes', () => {
  expect(undone).toBeGreaterThan(0)
})
