// A crash at any moment loses no acknowledged charge and adds none.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { testClient } from '../gateway/testing/gateway.ts'
import { forEachTest } from '../gateway/testing/lifetime.ts'
import { nano } from '../gateway/testing/money.ts'
import { CliProcesses } from './testing/cli-processes.ts'

const program = forEachTest(async () => new CliProcesses())

async function start() {
  const { child, ready } = program.tollgate('serve', '--port', '0')
  const said: string[] = []
  child.stderr.on('data', (chunk) => said.push(String(chunk)))
  return { child, said, ...(await ready) }
}

test('kill -9 during mixed calls loses no acknowledged charge', async () => {
  const first = await start()
  const client = testClient(first.baseUrl, first.adminKey ?? '')
  const acknowledged = new Map<string, number>()
  const enough = Promise.withResolvers<void>()

  async function callUntilKilled(stream: boolean): Promise<void> {
    for (let round = 0; ; round++) {
      const content = `Round ${round} [[sandbox:tokens ${5 + (round % 20)}]]`
      const { text, headers } = await client.chat({
        messages: [{ role: 'user', content }],
        stream,
        ...(stream ? { stream_options: { include_usage: true } } : {}),
      })
      const cost = /"cost":([\d.e-]+)/.exec(text)?.[1]
      const id = headers.get('x-service-request-id')
      if (cost && id && (!stream || text.includes('[DONE]'))) acknowledged.set(id, nano(Number(cost)))
      if (acknowledged.size >= 60) enough.resolve()
    }
  }

  const callers = Array.from({ length: 8 }, (_, at) => callUntilKilled(at % 2 === 0))
  const ended = Promise.allSettled(callers)
  await enough.promise
  first.child.kill('SIGKILL')
  await ended

  const second = await start()
  const told =
    /The last run did not end properly\. Tollgate was ended from outside.* The report is (?<path>\S+\.json);/
  await expect.poll(() => second.said.join('')).toMatch(told)
  const report = readFileSync(told.exec(second.said.join(''))?.groups?.path ?? '', 'utf8')
  expect(report).toContain('"kind": "stopped"')
  expect(report).not.toContain(client.admin)
  expect(report).not.toContain('Round')
  const later = testClient(second.baseUrl, client.admin)
  const rows = await later.records()
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const [id, cost] of acknowledged) expect(nano(byId.get(id)?.costUsd ?? -1)).toBe(cost)

  const others = rows.filter((row) => !acknowledged.has(row.id))
  expect(others.filter((row) => row.status === 'running')).toEqual([])
  for (const row of others) {
    if (row.costStatus !== 'unsettled') continue
    expect(row.costLowUsd).toBe(0)
    expect(row.costUsd ?? 0).toBeLessThanOrEqual(row.costHighUsd ?? 0)
  }
  const key = (await later.call('GET', '/v1/key')).json
  expect(nano(key.spendUsd)).toBe(rows.reduce((sum, row) => sum + nano(row.costUsd ?? 0), 0))
  expect(key.reservedUsd).toBe(0)
  second.child.kill('SIGTERM')
  await once(second.child, 'exit')
}, 60_000)
