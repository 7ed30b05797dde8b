// The files for Prometheus and Grafana in resources/deploy, with Prometheus itself and a real gateway.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type Program, startProgram } from '../../contract/testing/program.ts'
import { freePort } from '../../gateway/testing/listen.ts'
import { tempDirForFile } from '../../gateway/testing/temp-dir.ts'
import {
  billing,
  startTestUpstream,
  type TestUpstream,
} from '../../gateway/upstream/testing/test-upstream.ts'
import { dashboardQueries, deployDir } from './dashboard.ts'

const Found = z.object({ status: z.literal('success'), data: z.object({ result: z.array(z.unknown()) }) })
const Rules = z.object({
  data: z.object({
    groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), health: z.string() })) })),
  }),
})
/** The queries that have no answer in a few seconds without errors and unpriced models. */
const MAY_BE_EMPTY = /unpriced/

const folder = tempDirForFile()
let gateway: Program
/** The sandbox's costs are samples, which metrics do not have. */
let upstream: TestUpstream
let child: ChildProcess
let url = ''

beforeAll(async () => {
  gateway = await startProgram()
  upstream = await startTestUpstream(billing(1_000, 500))
  await gateway.addProvider('mine', upstream.url, ['m'])
  const { secret } = await gateway.createKey({ name: 'Prometheus', scope: 'read-only' })
  await gateway.createKey({ name: 'Capped', scope: 'full', spendLimitUsd: 1 })
  await gateway.call('GET', '/metrics')
  const address = new URL(gateway.baseUrl).host
  const config = readFileSync(join(deployDir, 'prometheus.yml'), 'utf8')
    .replaceAll('15s', '1s')
    .replaceAll(/\/etc\/prometheus\/tollgate-\w+\.key/g, join(folder, 'key'))
    .replace('127.0.0.1:8655', address)
    .replace('127.0.0.1:8656', address)
  writeFileSync(join(folder, 'key'), secret)
  writeFileSync(join(folder, 'prometheus.yml'), config)
  copyFileSync(join(deployDir, 'tollgate.rules.yml'), join(folder, 'tollgate.rules.yml'))
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const flags = [`--web.listen-address=127.0.0.1:${port}`, `--storage.tsdb.path=${join(folder, 'data')}`]
  child = spawn('prometheus', [`--config.file=${join(folder, 'prometheus.yml')}`, ...flags], {
    stdio: 'ignore',
  })
}, 240_000)
afterAll(async () => {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
  await gateway.close()
  await upstream.close()
}, 30_000)

const query = async (expression: string) => {
  const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`)
  return Found.parse(await answer.json()).data.result
}

test('each alert fires when it should, and not before', () => {
  copyFileSync(join(import.meta.dirname, 'fixtures/rules.test.yml'), join(folder, 'rules.test.yml'))
  const tested = execFileSync('promtool', ['test', 'rules', join(folder, 'rules.test.yml')], {
    encoding: 'utf8',
  })
  expect(tested).toContain('SUCCESS')
})

test('promtool accepts the configuration, the rules and the metrics', async () => {
  const check = (...args: string[]) => execFileSync('promtool', ['check', ...args], { encoding: 'utf8' })
  expect(check('config', join(folder, 'prometheus.yml'))).toContain('SUCCESS: 9 rules found')
  const { text } = await gateway.call('GET', '/metrics')
  expect(execFileSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })).toBe('')
})

test('Prometheus reads both gateways, and every query of the dashboard and the rules has an answer', async () => {
  await vi.waitFor(async () => expect(await query('up{job="tollgate"} == 1')).toHaveLength(2), {
    timeout: 20_000,
  })
  for (let round = 0; round < 6; round++) {
    await gateway.chat({ model: 'm' })
    await gateway.chat({ model: 'm', stream: true })
    await gateway.chat({ messages: [{ role: 'user', content: '[[sandbox:error 400]]' }] })
    const before = Number(await query('count_over_time(up{gateway="one"}[1h])').then(firstValue))
    await vi.waitFor(
      async () =>
        expect(
          Number(await query('count_over_time(up{gateway="one"}[1h])').then(firstValue)),
        ).toBeGreaterThan(before),
      { timeout: 5_000 },
    )
  }
  for (const expression of dashboardQueries()) {
    const found = await query(expression.replaceAll('$gateway', '.*'))
    if (!MAY_BE_EMPTY.test(expression)) expect(found.length, expression).toBeGreaterThan(0)
  }
  await vi.waitFor(
    async () => {
      const answer = await fetch(`${url}/api/v1/rules`)
      const rules = Rules.parse(await answer.json()).data.groups.flatMap((group) => group.rules)
      expect(rules).toHaveLength(9)
      expect(rules.filter(({ health }) => health !== 'ok')).toEqual([])
    },
    { timeout: 20_000 },
  )
  expect(await query('tollgate:failed_requests:ratio5m > 0')).toHaveLength(2)
})

function firstValue(result: unknown[]): string {
  const [first] = z.array(z.object({ value: z.tuple([z.number(), z.string()]) })).parse(result)
  return first?.value[1] ?? '0'
}
