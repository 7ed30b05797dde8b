import { expect, test, vi } from 'vitest'
import { testClient } from '../../gateway/testing/gateway.ts'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { spawnProgram } from '../../gateway/testing/program.ts'
import { startCommandHost } from '../testing/command-host.ts'

const command = await forFile(startCommandHost())
const { client } = command
const key = await client.call('createKey', { body: { name: 'ci', scope: 'completions-only', tag: 'shop' } })
const agent = testClient(command.baseUrl, key.secret)
const chat = (model: string) => agent.chat({ model }, { headers: { 'x-title': 'Agent\u00e9' } })
for (const model of ['sandbox-small', 'sandbox-large', 'none']) await chat(model)

const { tollgate } = command

test('spend shows the sums of today, the week and the month, or one of them divided', async () => {
  const sums = JSON.parse((await tollgate('spend', '--json')).stdout)
  expect(sums).toMatchObject({ today: { requests: 2 }, month: { requests: 2 }, monthlyLimitUsd: null })
  const table = (await tollgate('spend', 'month', '--by', 'model')).stdout.split('\n')
  expect(table.slice(0, 4)).toEqual([
    expect.stringMatching(/^MODEL {2,}REQUESTS {2,}INPUT {2,}CACHED {2,}OUTPUT {2,}COST$/),
    expect.stringMatching(/^sandbox-large {2,}1 /),
    expect.stringMatching(/^sandbox-small {2,}1 /),
    expect.stringMatching(/^Total {2,}2 .*\$0\.0\d+$/),
  ])
  expect((await tollgate('spend')).stdout).toMatch(/^Today {2,}2 /m)
})

test('logs lists the last requests, oldest first, and filters them', async () => {
  const lines = (await tollgate('logs')).stdout.split('\n')
  expect(lines[0]).toMatch(/succeeded 200 {2}ci .*sandbox-small/)
  expect(lines[2]).toMatch(/rejected 404/)
  expect(lines[3]).toMatch(/^ {2}.*none/)
  const json = (await tollgate('logs', '--tag', 'shop', '--model', 'sandbox-large', '--json')).stdout
  expect(json.trim().split('\n')).toHaveLength(1)
  expect(JSON.parse(json)).toMatchObject({ model: 'sandbox-large', keyId: key.id })
  expect(await tollgate('logs', '--key', 'ci', '--status', 'failed')).toMatchObject({ code: 0, stdout: '' })
})

test('logs --follow prints new requests that match as they end, and stops with Ctrl-C', async () => {
  const child = spawnProgram(['logs', '-f', '--model', 'sandbox-large', '--json'], { env: command.env })
  let seen = ''
  child.stdout?.on('data', (chunk) => {
    seen += chunk
  })
  const lines = () => seen.split('\n').length - 1
  await vi.waitFor(() => expect(lines()).toBe(1))
  await chat('sandbox-small')
  await chat('sandbox-large')
  await vi.waitFor(() => expect(lines()).toBe(2))
  expect(JSON.parse(seen.split('\n')[1] ?? '')).toMatchObject({ model: 'sandbox-large', status: 'succeeded' })
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGINT')
  expect(await exit).toBe(0)
})

test('models, estimates and providers have a table and JSON', async () => {
  const table = (await tollgate('models', 'SANDBOX large')).stdout.split('\n')
  expect(table).toHaveLength(3)
  expect(table[1]).toMatch(/^sandbox-large {2,}sandbox .*\$\d.*vision/)
  const seeing = JSON.parse((await tollgate('models', '--can', 'vision', '--json')).stdout)
  expect(seeing).toMatchObject([{ id: 'sandbox-large' }])

  const estimate = ['estimate', 'sandbox-small', '--input', '12k', '--output', '2k']
  const one = JSON.parse((await tollgate(...estimate, '--json')).stdout)
  const many = JSON.parse((await tollgate(...estimate, '--requests', '100', '--json')).stdout)
  expect(many.listCostUsd / one.listCostUsd).toBeCloseTo(100, 3)
  expect((await tollgate(...estimate)).stdout).toMatch(/Tokens {2,}12,000 input, 2,000 output\nCost {2,}\$/)
  const unknown = await tollgate('estimate', 'nothing', '--input', '1', '--output', '1')
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/^tollgate: .*nothing/)])

  expect((await tollgate('providers')).stdout).toMatch(/^sandbox .*ready/m)
  expect(await tollgate('providers', 'test', 'sandbox')).toMatchObject({ code: 0 })
  expect(await tollgate('providers', 'test', 'openai')).toMatchObject({ code: 1 })
})

test('cache shows what fills prompts, and what their caches saved', async () => {
  const messages = [
    { role: 'system', content: 'Be brief. '.repeat(1_000) },
    { role: 'user', content: 'Hello' },
  ]
  const definition = { name: 'look', description: 'Looks. '.repeat(500) }
  await agent.chat({ messages, tools: [{ type: 'function', function: definition }] })
  await vi.waitFor(async () => expect((await client.call('getCaching', { query: {} })).requests).toBe(1))
  const { stdout } = await tollgate('cache', 'today')
  expect(stdout).toMatch(/^Caches saved \$0\.00; none broke\.$/m)
  expect(stdout).toMatch(/^Instructions {2,}7\d% /m)
  expect(stdout).toMatch(/^1 tool definition is 2\d% of the prompts; 0 tools were called/m)
  expect(JSON.parse((await tollgate('cache', '--json')).stdout)).toMatchObject({ requests: 1, causes: [] })
})
