import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../gateway/testing/gateway.ts'
import { openLiveEvents } from '../../../gateway/testing/live-events.ts'
import { shortWaits } from '../../../gateway/testing/short-waits.ts'
import { startTestUpstream, type TestExchange } from '../../../gateway/upstream/testing/test-upstream.ts'
import type { HistoryState } from '../../../shared/api/history.ts'
import { createHome, writeLog } from './testing/log-home.ts'

const DAY = Date.UTC(2026, 10, 20)
/** A price per million tokens is known: 15 for input and 75 for output. */
const MODEL = 'claude-opus-4-1'

const answer = (id: string, more: Record<string, unknown> = {}) => ({
  ...{ type: 'assistant', timestamp: new Date(DAY).toISOString(), sessionId: 's1', requestId: `req_${id}` },
  ...{ cwd: '/work/shop', gitBranch: 'main' },
  message: { id, role: 'assistant', model: MODEL, usage: { input_tokens: 1_000, output_tokens: 1_000 } },
  ...more,
})
const COST_USD = 0.09
const FILE = '.claude/projects/shop/s1.jsonl'

async function startWith(files: Parameters<typeof createHome>[0]) {
  const agents = createHome(files)
  const tollgate = await startTestGateway({ agents })
  onTestFinished(() => tollgate.close())
  return { tollgate, home: agents.home }
}

const read = async (tollgate: TestGateway): Promise<HistoryState> =>
  (await tollgate.call('GET', '/v1/history')).json

/** The state at the first event of an import, which `start` starts, that has at least this many calls, or that it has ended. */
async function waitFor(
  tollgate: TestGateway,
  start: () => Promise<unknown>,
  calls = Infinity,
): Promise<HistoryState> {
  const events = await openLiveEvents(tollgate)
  await start()
  await events.readUntil((text) =>
    [...text.matchAll(/^data: ({"type":"history".*})$/gm)].some(({ 1: json = '' }) => {
      const { running } = JSON.parse(json)
      return running === null || running.calls >= calls
    }),
  )
  events.close()
  return read(tollgate)
}

async function importAll(tollgate: TestGateway, body = {}, calls?: number): Promise<HistoryState> {
  const start = async () => expect((await tollgate.call('POST', '/v1/history', { body })).status).toBe(200)
  return waitFor(tollgate, start, calls)
}

const usage = async (tollgate: TestGateway, query: string) =>
  (await tollgate.call('GET', `/v1/usage?timeZone=UTC&${query}`)).json

test('calls of a log are in the usage, marked, and in no total or limit; importing them again adds none', async () => {
  const { tollgate, home } = await startWith({ [FILE]: [answer('1'), answer('2')] })
  const first = await importAll(tollgate)
  expect(first.imported).toMatchObject([
    { tool: 'claude-code', origin: 'import', calls: 2, tokensIn: 2_000, tokensOut: 2_000, unpriced: 0 },
  ])
  expect(first.imported[0]?.costUsd).toBeCloseTo(2 * COST_USD, 9)
  expect(first.last).toMatchObject({
    outcome: 'done',
    summary: '2 calls of 1 tool since November 20, 2026.',
  })
  const again = await importAll(tollgate)
  expect(again.imported).toEqual(first.imported)
  expect(again.last?.summary).toBe('2 calls of 1 tool since November 20, 2026, none of them new.')

  writeLog(join(home, FILE), [answer('1'), answer('2'), answer('3')])
  expect((await importAll(tollgate)).imported).toMatchObject([{ calls: 3 }])
  expect(await usage(tollgate, 'groupBy=day&splitBy=client&history=true')).toMatchObject({
    data: [
      { group: '2026-11-20', split: 'claude-code', splitLabel: 'Claude Code', origin: 'import', requests: 3 },
    ],
    total: { requests: 0, costUsd: 0 },
    importedTotal: { requests: 3, tokensIn: 3_000 },
  })
  expect((await usage(tollgate, 'groupBy=tag&history=true')).data).toMatchObject([{ group: '/work/shop' }])
  expect((await usage(tollgate, 'groupBy=model')).data).toEqual([])
  expect((await usage(tollgate, 'groupBy=model&key=none&history=true')).data).toEqual([])
  expect(await tollgate.getAccount()).toMatchObject({ spendUsd: 0, monthSpendUsd: 0 })
})

test('a moment and a tool can be chosen', async () => {
  const later = answer('2', { timestamp: new Date(DAY + 86_400_000).toISOString() })
  const { tollgate } = await startWith({ [FILE]: [answer('1'), later] })
  const since = new Date(DAY + 1).toISOString()
  expect((await importAll(tollgate, { tool: 'codex' })).imported).toEqual([])
  expect((await importAll(tollgate, { since })).imported).toMatchObject([{ calls: 1 }])
  // The file was not read as a whole before.
  expect((await importAll(tollgate)).imported).toMatchObject([{ calls: 2 }])
})

test('a request of the gateway is not counted again, by its id or by its tokens', async () => {
  const { tollgate, home } = await startWith({})
  const sent = await tollgate.chat({ messages: [{ role: 'user', content: 'Hello, and goodbye' }] })
  const [record] = await tollgate.records()
  if (!record?.usage) throw new Error('there is no record')
  const { input, output } = record.usage
  const tokens = { input, output, cached: 0, thoughts: 0, tool: 0 }
  const message = (id: string, more = {}) => ({
    ...{ id, type: 'gemini', timestamp: record.createdAt, model: record.requestedModel, tokens, ...more },
  })
  const early = new Date(Date.parse(record.createdAt) - 10_000).toISOString()
  const gemini = '.gemini/tmp/shop/chats/session-1.jsonl'
  // One request is one call, and the second has other tokens.
  writeLog(join(home, gemini), [
    message('a', { timestamp: early }),
    message('b', { tokens: { ...tokens, output: output + 1 } }),
  ])
  expect((await importAll(tollgate)).imported).toMatchObject([{ tool: 'gemini', calls: 1, metered: 1 }])
  writeLog(join(home, gemini), [
    message('a', { timestamp: early }),
    message('b', { tokens: { ...tokens, output: output + 1 } }),
    message('c'),
  ])
  expect((await importAll(tollgate)).imported).toMatchObject([{ calls: 2, metered: 1 }])

  const own = answer('1', { requestId: sent.headers.get('request-id'), timestamp: record.createdAt })
  const foreign = answer('2', { requestId: `req_${'0'.repeat(32)}` })
  writeLog(join(home, FILE), [own, foreign])
  expect((await importAll(tollgate)).imported[0]).toMatchObject({ tool: 'claude-code', calls: 1, metered: 1 })
  expect((await read(tollgate)).last?.summary).toContain(
    '2 calls not counted, because Tollgate has metered them.',
  )
})

test('what a sub-agent repeats is not counted, in whatever order the files are imported', async () => {
  const agent = '.claude/projects/shop/s1/subagents/agent-a.jsonl'
  const repeat = answer('1', { requestId: 'req_9', isSidechain: true, agentId: 'a' })
  const { tollgate, home } = await startWith({ [agent]: [repeat] })
  expect((await importAll(tollgate)).imported).toMatchObject([{ calls: 1, repeated: 0 }])
  writeLog(join(home, FILE), [answer('1')])
  expect((await importAll(tollgate)).imported).toMatchObject([{ calls: 1, repeated: 1 }])
  // Where several answers have the same id, a sub-agent's is one more.
  writeLog(join(home, FILE), [answer('1'), answer('1', { requestId: 'req_2' })])
  expect((await importAll(tollgate)).imported).toMatchObject([{ calls: 3, repeated: 0 }])
})

/** An import is canceled after its first announcement of calls. */
const CUT_CALLS = 1

test('an import that is canceled at any moment goes on to the same totals', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, file) => [
      `.claude/projects/shop/s${file}.jsonl`,
      // Each session begins with the last call of the one before.
      Array.from({ length: 201 }, (__, call) => answer(`${file * 200 + call}`)),
    ]),
  )
  const { tollgate } = await startWith(files)
  let cuts = 0
  for (;;) {
    const { running } = await importAll(tollgate, {}, CUT_CALLS)
    if (running === null) break
    const { json } = await tollgate.call('DELETE', '/v1/history/import')
    cuts += json.last.outcome === 'canceled' ? 1 : 0
  }
  expect(cuts).toBeGreaterThan(0)
  expect((await read(tollgate)).imported).toMatchObject([{ calls: 6_001, tokensIn: 6_001_000 }])
})

test('while a request is in flight, an import rests after each batch', async () => {
  const rests: number[] = []
  const timers = {
    ...shortWaits.timers,
    delay: async (ms: number) => void rests.push(ms),
  }
  const agents = createHome({ [FILE]: Array.from({ length: 601 }, (_, call) => answer(`${call}`)) })
  const tollgate = await startTestGateway({ agents, clock: { timers } })
  onTestFinished(() => tollgate.close())
  const called = Promise.withResolvers<TestExchange>()
  const upstream = await startTestUpstream((exchange) => called.resolve(exchange))
  onTestFinished(() => upstream.close())
  await tollgate.addProvider('slow', upstream.url, ['slow-model'])

  expect(await importAll(tollgate)).toMatchObject({ imported: [{ calls: 601 }] })
  expect(rests).toEqual([])
  await tollgate.call('DELETE', '/v1/history')
  const chat = tollgate.chat({ model: 'slow-model', messages: [{ role: 'user', content: 'Hello' }] })
  const exchange = await called.promise
  expect(await importAll(tollgate)).toMatchObject({ imported: [{ calls: 601 }] })
  expect(rests.length).toBeGreaterThan(3)
  exchange.answer('openai-chat', { texts: ['Hello'] })
  await chat
})

test('removed history is gone, and no longer kept up to date', async () => {
  const { tollgate } = await startWith({ [FILE]: [answer('1'), answer('2')] })
  await waitFor(tollgate, () => tollgate.call('PATCH', '/v1/settings', { body: { keepHistory: true } }))
  const { json } = await tollgate.call('DELETE', '/v1/history?tool=claude-code')
  expect(json).toEqual({ removed: 2 })
  expect(await read(tollgate)).toMatchObject({ imported: [], running: null })
  expect((await tollgate.call('GET', '/v1/settings')).json).toMatchObject({ keepHistory: false })
  expect((await importAll(tollgate)).imported).toMatchObject([{ calls: 2 }])
})

test('logs that Claude Code will delete within a week, and that are not imported, are announced', async () => {
  const { tollgate, home } = await startWith({ [FILE]: [answer('1')] })
  const ago = (days: number) => Date.now() / 1_000 - days * 86_400
  const path = join(home, FILE)
  utimesSync(path, ago(22), ago(22))
  expect(await read(tollgate)).toMatchObject({ expiring: null })
  utimesSync(path, ago(24), ago(24))
  const deletedAt = new Date((ago(24) + 30 * 86_400) * 1_000).toISOString()
  expect(await read(tollgate)).toMatchObject({
    expiring: { files: 1, firstAt: expect.stringContaining(deletedAt.slice(0, 15)) },
  })
  writeFileSync(join(home, '.claude/settings.json'), '{"cleanupPeriodDays": 365}')
  expect(await read(tollgate)).toMatchObject({ expiring: null })
  writeFileSync(join(home, '.claude/settings.json'), '{}')
  expect(await importAll(tollgate)).toMatchObject({ expiring: null })
})

test('sessions are listed with their sub-agents, the last one first', async () => {
  const { tollgate } = await startWith({
    [FILE]: [answer('1')],
    '.claude/projects/shop/s1/subagents/agent-a.jsonl': [answer('2', { isSidechain: true, agentId: 'a' })],
    '.claude/projects/shop/s2.jsonl': [
      answer('3', { sessionId: 's2', timestamp: new Date(DAY + 60_000).toISOString() }),
    ],
  })
  await importAll(tollgate)
  const list = async (query: string) => (await tollgate.call('GET', `/v1/history/sessions?${query}`)).json
  const first = await list('limit=1')
  expect(first).toMatchObject({ data: [{ id: 's2', agents: [] }], nextCursor: '1' })
  expect((await list('session=s1')).data.map(({ id }: { id: string }) => id)).toEqual(['s1'])
  expect(await list(`limit=1&cursor=${first.nextCursor}`)).toMatchObject({
    data: [
      {
        ...{
          id: 's1',
          tool: 'claude-code',
          name: 'Claude Code',
          origin: 'import',
          project: '/work/shop',
          branch: 'main',
        },
        ...{
          models: [MODEL],
          calls: 2,
          tokensIn: 2_000,
          unpriced: 0,
          agents: [{ id: 'a', calls: 1, costUsd: COST_USD }],
        },
      },
    ],
    nextCursor: null,
  })
  expect((await list(`from=${new Date(DAY + 1).toISOString()}`)).data).toHaveLength(1)
})
