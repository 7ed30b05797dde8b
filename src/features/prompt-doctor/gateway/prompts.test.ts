import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { startTestUpstream } from '../../../gateway/upstream/testing/test-upstream.ts'
import type { CachingReport } from '../api/caching.ts'

const gateway = await forFile(startTestGateway())
/** The usage of the next answer. */
let usage = {}
const vendor = await forFile(
  startTestUpstream((exchange) =>
    exchange.answer('anthropic-messages', {
      texts: ['Done.'],
      usage: { input_tokens: 100, output_tokens: 10, ...usage },
    }),
  ),
)
await gateway.addProvider('claude', `${vendor.url}/v1`, [], { apiFormat: 'anthropic-messages' })
const pricing = {
  ...{ inputPerMillion: 10, outputPerMillion: 50 },
  ...{ cacheReadPerMillion: 1, cacheWritePerMillion: 12.5, cacheWriteHourPerMillion: 20 },
}
await gateway.call('PUT', '/v1/models/claude-x', {
  body: { provider: 'claude', pricing, maxOutputTokens: 1000 },
})

const CANARY = 'a-word-of-the-prompt'
const tool = (name: string) => ({
  type: 'function',
  function: { name, description: `${CANARY} `.repeat(1_000), parameters: { type: 'object', properties: {} } },
})
const history = [
  { role: 'user', content: `${CANARY}: read the log` },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'mcp__git__log', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'call_1', content: `${CANARY} `.repeat(40) },
]
const tools = ['mcp__git__log', 'mcp__git__diff', 'bash'].map(tool)

async function ask(read: number, written: number, body: object) {
  usage = { cache_read_input_tokens: read, cache_creation_input_tokens: written }
  const { status, headers, text } = await gateway.chat(
    { model: 'claude-x', ...body },
    { headers: { 'x-tollgate-session': 'run', 'user-agent': 'agent/1' } },
  )
  expect(status, text).toBe(200)
  // What a prompt consists of is written after the answer.
  return await vi.waitFor(async () => {
    const record = await gateway.getRecord(headers.get('x-request-id'))
    expect(record.prompt).not.toBeNull()
    return record
  })
}

test('a session explains its prompts, and the break of its cache', async () => {
  const first = await ask(0, 20_000, { messages: history, tools })
  expect(first.prompt).toMatchObject({ toolCount: 3, break: null })
  const { parts } = first.prompt
  expect(parts.tools + parts.history + parts.results + parts.system + parts.media).toBeCloseTo(1, 9)
  await ask(20_000, 1_000, { messages: [...history, { role: 'user', content: 'Go on.' }], tools })
  const last = await ask(0, 22_000, {
    messages: [...history, { role: 'user', content: 'Go on.' }, { role: 'user', content: 'More.' }],
    tools: tools.slice(0, 2),
  })
  // 21,000 tokens were written at $12.50 instead of being read at $1 per million.
  const lostUsd = (21_000 * 11.5) / 1e6
  expect(last.prompt.break).toEqual({
    cause: 'tools',
    lostTokens: 21_000,
    lostUsd: expect.closeTo(lostUsd, 9),
  })
  const query = `session=${last.sessionId}`
  const report: CachingReport = (await gateway.call('GET', `/v1/usage/caching?${query}`)).json
  // 20,000 tokens were read for $9 less per million; 43,000 were written for $2.50 more.
  expect(report.savedUsd).toBeCloseTo((20_000 * 9 - 43_000 * 2.5) / 1e6, 9)
  expect(report).toMatchObject({
    requests: 3,
    breaks: 1,
    lostUsd: expect.closeTo(lostUsd, 9),
    rewriteFactor: expect.closeTo(43_000 / 22_100, 9),
    tools: { perRequest: 8 / 3, called: 1 },
    causes: [{ cause: 'tools', breaks: 1, lostTokens: 21_000 }],
    clients: [{ client: 'agent', breaks: 1 }],
    sessions: [{ sessionId: last.sessionId }],
    weeks: [{ requests: 3 }],
  })
  expect(report.servers).toContainEqual(expect.objectContaining({ server: 'git', tools: 2, called: 1 }))
  expect(report.results).toEqual([expect.objectContaining({ tool: 'mcp__git__log' })])
  const allocated = Object.values(report.parts).reduce((sum, part) => sum + part.usd, 0)
  expect(allocated).toBeCloseTo(report.promptUsd, 6)
  expect((await gateway.call('GET', '/v1/usage/caching?client=agent')).json).toMatchObject({ requests: 3 })
  expect((await gateway.call('GET', '/v1/usage/caching?to=2000-01-01')).json).toMatchObject({ requests: 0 })
})

test('nothing of a prompt but the names of tools is stored', async () => {
  await ask(0, 2_000, { messages: history, tools })
  const files = readdirSync(gateway.dataDir).filter(
    (name) => name.includes('.db') || name.includes('.sqlite'),
  )
  expect(files.length).toBeGreaterThan(0)
  const stored = files.map((name) => readFileSync(join(gateway.dataDir, name), 'latin1')).join('')
  expect(stored).toContain('mcp__git__log')
  expect(stored).not.toContain(CANARY)
})
