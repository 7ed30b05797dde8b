import { chmodSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createHome, readHome, sumRows, toLines, writeLog } from '../testing/log-home.ts'
import { claudeCode } from './claude-code.ts'

const FILE = '.claude/projects/-work-shop/s1.jsonl'
const read = async (files: Parameters<typeof createHome>[0]) => readHome(claudeCode, createHome(files))

interface Line {
  id?: string
  request?: string | null
  usage?: object
  message?: object
  [member: string]: unknown
}

/** Two writes to the cache, in one line. */
const USAGE = {
  input_tokens: 11,
  cache_creation_input_tokens: 100,
  cache_read_input_tokens: 200,
  output_tokens: 219,
  output_tokens_details: { thinking_tokens: 50 },
  cache_creation: { ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 60 },
}
const COUNTED = {
  input: 11,
  cacheRead: 200,
  cacheWrite5m: 40,
  cacheWrite1h: 60,
  output: 219,
  reasoning: 50,
}

/** A line of an answer, in the order of members that Claude Code 2.1.330 writes. */
function answer({ id = 'msg_1', request = 'req_1', usage = USAGE, message, ...rest }: Line = {}) {
  return {
    parentUuid: 'u0',
    isSidechain: false,
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5',
      content: [],
      usage,
      ...message,
    },
    apiBlockIndex: 0,
    ...(request !== null && { requestId: request }),
    type: 'assistant',
    uuid: 'u1',
    timestamp: '2026-11-20T10:00:00.000Z',
    cwd: '/work/shop',
    sessionId: 's1',
    gitBranch: 'main',
    ...rest,
  }
}

test('a call is a row with everything that joins and places it', async () => {
  const { rows } = await read({ [FILE]: [{ type: 'user' }, answer()] })
  expect(rows).toEqual([
    {
      ...{ tool: 'claude-code', identity: 'msg_1 req_1', time: Date.UTC(2026, 10, 20, 10) },
      ...{ model: 'claude-opus-5', provider: null, session: 's1', agent: null, project: '/work/shop' },
      ...{ branch: 'main', calls: 1, tokens: COUNTED, webSearches: 0, tier: null, answerId: 'req_1' },
      original: 'msg_1 11 200 100',
    },
  ])
})

describe('a call counts once', () => {
  test.each([
    ['with several blocks of equal usage', [answer(), answer({ uuid: 'u2', apiBlockIndex: 1 })]],
    [
      'with a partial line and the final one, in either order',
      [
        answer(),
        answer({ usage: { ...USAGE, output_tokens: 1, output_tokens_details: { thinking_tokens: 0 } } }),
      ],
    ],
    [
      'with a snapshot of undivided cache writes next to a divided one',
      [answer({ usage: { ...USAGE, cache_creation: undefined } }), answer({ uuid: 'u2' })],
    ],
    [
      'without a request id',
      [answer({ request: null }), answer({ request: null, uuid: 'u2', parentUuid: 'u1' })],
    ],
  ])('%s', async (_, lines) => {
    for (const order of [lines, lines.toReversed()])
      if (order === lines || lines[0]?.requestId !== undefined)
        expect(sumRows((await read({ [FILE]: order })).rows)).toEqual({ calls: 1, ...COUNTED })
  })

  test('in a session and its fork, whose lines have another session, and belongs to the older one', async () => {
    const place = createHome({ [FILE]: [answer()] })
    const original = join(place.home, FILE)
    const fork = original.replace('s1', 's0')
    // The clock of the file system advances in steps.
    do {
      rmSync(fork, { force: true })
      writeLog(fork, [
        answer({ sessionId: 's0' }),
        answer({ sessionId: 's0', id: 'msg_2', request: 'req_2' }),
      ])
    } while (statSync(fork).birthtimeMs === statSync(original).birthtimeMs)
    const { rows, comparison } = await readHome(claudeCode, place)
    expect(sumRows(rows)).toMatchObject({ calls: 2, input: 22, output: 438 })
    expect(rows.map(({ answerId, session }) => [answerId, session])).toEqual([
      ['req_1', 's1'],
      ['req_2', 's0'],
    ])
    expect(comparison).toBeNull()
  })

  test('in a fork without request ids', async () => {
    const lines = (sessionId: string) => [
      answer({ request: null, sessionId }),
      answer({ request: null, sessionId, uuid: 'u2', parentUuid: 'u1', timestamp: '2026-11-20T10:00:01Z' }),
    ]
    const { rows } = await read({ [FILE]: lines('s1'), '.claude/projects/-work-shop/s2.jsonl': lines('s2') })
    expect(sumRows(rows)).toEqual({ calls: 1, ...COUNTED })
  })

  test('where a sub-agent repeats the answers of its parent with other request ids', async () => {
    const { rows } = await read({
      [FILE]: [answer()],
      '.claude/projects/-work-shop/s1/subagents/agent-a1.jsonl': [
        answer({ request: 'req_9', isSidechain: true, agentId: 'a1' }),
        answer({ id: 'msg_5', request: 'req_5', isSidechain: true, agentId: 'a1' }),
      ],
    })
    expect(rows.map(({ answerId, agent }) => [answerId, agent])).toEqual([
      ['req_1', null],
      ['req_5', 'a1'],
    ])
  })

  test('where two folders are one by a link', async () => {
    const place = createHome({ [FILE]: [answer()], '.config/readme': '' })
    symlinkSync(join(place.home, '.claude'), join(place.home, '.config/claude'))
    const env = { CLAUDE_CONFIG_DIR: `${join(place.home, '.claude')}, ${join(place.home, 'none')}` }
    expect(sumRows((await readHome(claudeCode, { ...place, env })).rows).calls).toBe(1)
  })
})

describe('all calls count', () => {
  test('where a relay gives ten messages the same id', async () => {
    const lines = Array.from({ length: 10 }, (_, index) =>
      answer({
        id: 'msg',
        request: null,
        uuid: `a${index}`,
        parentUuid: `tool-result-${index}`,
        timestamp: new Date(Date.UTC(2026, 10, 20, 10, index)).toISOString(),
      }),
    )
    expect(sumRows((await read({ [FILE]: lines })).rows)).toMatchObject({ calls: 10, output: 2_190 })
  })

  test('of a sub-agent whose answers have the same id and the same usage as those of its parent', async () => {
    const { rows } = await read({
      [FILE]: [answer(), answer({ request: 'req_2' })],
      '.claude/projects/-work-shop/s1/subagents/agent-a1.jsonl': [
        answer({ request: 'req_3', isSidechain: true, agentId: 'a1' }),
      ],
    })
    expect(sumRows(rows)).toMatchObject({ calls: 3, output: 657 })
  })

  test('of nested agents, in all places, but not those of a journal again', async () => {
    const agent = (id: string) => [answer({ id, request: id, isSidechain: true, agentId: id })]
    const dir = '.claude/projects/-work-shop'
    const { rows } = await read({
      [FILE]: [answer()],
      [`${dir}/s1/subagents/agent-a.jsonl`]: agent('a'),
      [`${dir}/s1/subagents/agent-a.meta.json`]: '{}',
      [`${dir}/s1/subagents/workflows/w1/agent-b.jsonl`]: agent('b'),
      [`${dir}/s1/subagents/workflows/w1/journal.jsonl`]: agent('journal'),
      [`${dir}/agent-c.jsonl`]: agent('c'),
    })
    expect(sumRows(rows)).toMatchObject({ calls: 4, output: 876 })
    expect(rows.map(({ agent: id, session }) => `${id} ${session}`).sort()).toEqual([
      'a s1',
      'b s1',
      'c s1',
      'null s1',
    ])
  })

  test('of an advisor, which are not in the usage of its answer', async () => {
    const iterations = [
      { type: 'message', input_tokens: 11, output_tokens: 219 },
      { type: 'advisor_message', model: 'claude-sonnet-5', input_tokens: 500, output_tokens: 30 },
    ]
    const lines = [
      answer({ usage: { ...USAGE, iterations } }),
      answer({ usage: { ...USAGE, iterations }, uuid: 'u2' }),
    ]
    const { rows } = await read({ [FILE]: lines })
    expect(rows.map(({ model, tokens }) => [model, tokens.input, tokens.output])).toEqual([
      ['claude-opus-5', 11, 219],
      ['claude-sonnet-5', 500, 30],
    ])
  })
})

test('synthetic messages and errors are no calls', async () => {
  const lines = [answer({ message: { model: '<synthetic>' } }), answer({ isApiErrorMessage: true })]
  expect(await read({ [FILE]: lines })).toEqual({ rows: [], skipped: [], comparison: null })
})

test('a tier with other prices and searches are kept', async () => {
  const usage = { ...USAGE, server_tool_use: { web_search_requests: 3 } }
  const { rows } = await read({
    [FILE]: [
      answer({ usage: { ...usage, speed: 'fast', service_tier: 'standard', inference_geo: '' } }),
      answer({ id: 'msg_2', usage: { ...usage, speed: 'standard', inference_geo: 'not_available' } }),
    ],
  })
  expect(rows.map(({ tier, webSearches }) => [tier, webSearches])).toEqual([
    ['fast', 3],
    [null, 3],
  ])
})

test('the total that the tool states last is compared with the rows of the session and its sub-agents', async () => {
  const state = (outputTokens: number) => ({
    type: 'cost-state',
    sessionId: 's1',
    modelUsage: {
      'claude-opus-5': {
        ...{ inputTokens: 22, outputTokens, thinkingTokens: 100, cacheReadInputTokens: 400 },
        ...{ cacheCreationInputTokens: 200, costUSD: 1 },
      },
    },
  })
  const { comparison } = await read({
    [FILE]: [answer(), state(219), state(500)],
    '.claude/projects/-work-shop/s1/subagents/agent-a.jsonl': [
      answer({ id: 'msg_2', request: 'req_2', isSidechain: true, agentId: 'a' }),
    ],
  })
  // 22 + 400 + 200 + 500, and twice 11 + 200 + 100 + 219.
  expect(comparison).toEqual({ sessions: 1, statedTokens: 1_122, countedTokens: 1_060 })
})

describe('other lines cost nothing', () => {
  const later = answer({ id: 'msg_2', request: 'req_2' })

  test('whole requests, however long, and a line that is too long', async () => {
    const long = 'x'.repeat(10 * 1024 * 1024)
    const { rows, skipped } = await read({
      [FILE]: toLines([
        answer(),
        { type: 'api-request-shape', shape: `"output_tokens": ${long}`, role: 'assistant' },
        answer({ id: 'msg_3', message: { role: 'assistant', content: long } }),
        { type: 'user', content: long },
        later,
      ]),
    })
    expect(sumRows(rows).calls).toBe(2)
    expect(skipped).toEqual([{ reason: 'long-line', count: 1, tokens: 0 }])
  })

  test('damaged ones, with CRLF and invalid UTF-8', async () => {
    const [first = '', second = ''] = [answer({ cwd: '/work/ca\u00fe' }), later].map((line) =>
      JSON.stringify(line),
    )
    const { rows, skipped } = await read({
      [FILE]: Buffer.concat([
        Buffer.from(`${first}\r\n`, 'latin1'),
        Buffer.from(`${first.slice(0, -40)}\n\u0000\u0000\n[]\n${second}\r\n`),
      ]),
    })
    expect(sumRows(rows)).toMatchObject({ calls: 2, output: 438 })
    expect(skipped).toEqual([{ reason: 'damaged-line', count: 1, tokens: 0 }])
  })

  test('one that is being written, which counts when it is complete', async () => {
    const [first = '', second = ''] = [answer(), later].map((line) => JSON.stringify(line))
    const partial = await read({ [FILE]: `${first}\n${second.slice(0, -30)}` })
    expect([sumRows(partial.rows).calls, partial.skipped]).toEqual([1, []])
    expect(sumRows((await read({ [FILE]: `${first}\n${second}` })).rows).calls).toBe(2)
  })

  test('one without a time, whose tokens are reported', async () => {
    const { rows, skipped } = await read({ [FILE]: [answer({ timestamp: 'soon' }), later] })
    expect(sumRows(rows).calls).toBe(1)
    expect(skipped).toEqual([{ reason: 'no-time', count: 1, tokens: 530 }])
  })
})

test('a link that leads nowhere is reported, and costs nothing else', async () => {
  const place = createHome({ [FILE]: [answer()] })
  const loop = join(place.home, '.claude/projects/loop')
  symlinkSync(loop, loop)
  const { rows, skipped } = await readHome(claudeCode, place)
  expect([sumRows(rows).calls, skipped]).toEqual([1, [{ reason: 'unreadable', count: 1, tokens: 0 }]])
})

// Root may read everything.
test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
  'a folder that may not be read is reported, and costs nothing else',
  async () => {
    const place = createHome({ [FILE]: [answer()], '.claude/projects/secret/s2.jsonl': [answer()] })
    const secret = join(place.home, '.claude/projects/secret')
    chmodSync(secret, 0)
    const { rows, skipped } = await readHome(claudeCode, place).finally(() => chmodSync(secret, 0o700))
    expect([sumRows(rows).calls, skipped]).toEqual([1, [{ reason: 'unreadable', count: 1, tokens: 0 }]])
  },
)
