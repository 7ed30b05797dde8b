import { describe, expect, test } from 'vitest'
import { createHome, readHome, sumRows, toLines } from '../testing/log-home.ts'
import { codex } from './codex.ts'

const DAY = '.codex/sessions/2026/11/20'
/** The names of files have the id of their thread. */
const id = (digit: number) => `01a22415-a54c-7b72-ab22-${String(digit).padStart(12, '0')}`
const file = (digit: number, page = '') =>
  `${DAY}/rollout-2026-11-20T10-0${digit}-00-${id(digit)}${page}.jsonl`
const read = async (files: Parameters<typeof createHome>[0]) => readHome(codex, createHome(files))

let second = 0
const at = () => new Date(Date.UTC(2026, 10, 20, 10, 0, second++)).toISOString()
const line = (type: string, payload: object, more = {}) => ({ timestamp: at(), ...more, type, payload })
const event = (type: string, payload: object, more = {}) => line('event_msg', { type, ...payload }, more)

const meta = (digit: number, more = {}) =>
  line('session_meta', {
    ...{ session_id: id(digit), id: id(digit), cwd: '/work/shop', cli_version: '0.169.0' },
    ...{ model_provider: 'openai', git: { branch: 'main' }, ...more },
  })
const turn = (model = 'gpt-5.5', turnId = 'turn-1') => line('turn_context', { turn_id: turnId, model })

/** The counts of so many calls: 1,000 tokens of input, 400 of them cached, and 219 of output, 50 of them reasoning. */
const usage = (calls: number) => ({
  ...{ input_tokens: 1_000 * calls, cached_input_tokens: 400 * calls, cache_write_input_tokens: 0 },
  ...{ output_tokens: 219 * calls, reasoning_output_tokens: 50 * calls, total_tokens: 1_219 * calls },
})
const record = (thread: number, answer: string, more: object = {}, total = 1) =>
  line('token_usage_record', {
    ...{ response_id: answer, thread_id: id(thread), session_id: id(thread), turn_id: 'turn-1' },
    ...{ usage: usage(1), thread_token_usage: usage(total), ...more },
  })
const snapshot = (calls: number, more = {}, last = usage(1)) =>
  event('token_count', { info: { total_token_usage: usage(calls), last_token_usage: last } }, more)

const calls = (count: number) => ({
  calls: count,
  input: 600 * count,
  cacheRead: 400 * count,
  output: 219 * count,
  reasoning: 50 * count,
})

test('a call is a row with everything that joins and places it', async () => {
  const { rows } = await read({ [file(1)]: [meta(1), turn(), record(1, 'resp_1'), snapshot(1)] })
  expect(rows).toEqual([
    {
      ...{ tool: 'codex', identity: 'resp_1 1219', time: expect.any(Number), model: 'gpt-5.5' },
      ...{ provider: 'openai', session: id(1), agent: null, project: '/work/shop', branch: 'main' },
      ...{ calls: 1, webSearches: 0, tier: null, answerId: 'resp_1' },
      tokens: { input: 600, cacheRead: 400, cacheWrite5m: 0, cacheWrite1h: 0, output: 219, reasoning: 50 },
    },
  ])
})

describe('calls count once', () => {
  test('with records and totals, and with totals alone', async () => {
    const both = [meta(1), turn(), record(1, 'a'), snapshot(1), record(1, 'b'), snapshot(2)]
    expect(sumRows((await read({ [file(1)]: both })).rows)).toEqual(calls(2))
    const old = [meta(2), turn(), snapshot(1), snapshot(2)]
    expect(sumRows((await read({ [file(2)]: old })).rows)).toEqual(calls(2))
  })

  test('with records of a server that gives all answers one id', async () => {
    const lines = [meta(1), turn(), record(1, 'resp'), record(1, 'resp', {}, 2), record(1, 'resp', {}, 2)]
    expect(sumRows((await read({ [file(1)]: lines })).rows)).toEqual(calls(2))
  })

  test('in a thread that a newer Codex goes on with', async () => {
    const lines = [meta(1), turn(), snapshot(1), snapshot(2), record(1, 'c'), snapshot(3)]
    expect(sumRows((await read({ [file(1)]: lines })).rows)).toEqual(calls(3))
  })

  test('with repeated, empty and stale totals', async () => {
    const stale = { total_token_usage: { ...usage(100), output_tokens: 21_899 }, last_token_usage: usage(1) }
    const lines = [
      ...[meta(1), turn(), event('token_count', { info: null }), snapshot(0, {}, usage(0))],
      ...[snapshot(1), snapshot(1), snapshot(100), event('token_count', { info: stale }), snapshot(101)],
    ]
    expect(sumRows((await read({ [file(1)]: lines })).rows)).toEqual(calls(3))
  })

  test('with totals that begin again', async () => {
    const lines = [meta(1), turn(), snapshot(1), snapshot(2), snapshot(1), snapshot(2)]
    expect(sumRows((await read({ [file(1)]: lines })).rows)).toEqual(calls(4))
  })

  test('of an old Codex, which writes no counts of single calls', async () => {
    const total = (count: number) => event('token_count', { info: { total_token_usage: usage(count) } })
    expect(sumRows((await read({ [file(1)]: [meta(1), turn(), total(1), total(3)] })).rows)).toEqual({
      ...calls(3),
      calls: 2,
    })
  })

  test('in a thread of two files, the second of which repeats the last total', async () => {
    const { rows } = await read({
      [file(1)]: [meta(1), turn(), snapshot(1), snapshot(2)],
      [file(1, `_${id(9)}`)]: [meta(1), snapshot(2), turn(), snapshot(3)],
    })
    expect(sumRows(rows)).toEqual(calls(3))
  })

  test('in a thread that is active and archived', async () => {
    const { rows } = await read({
      [file(1)]: [meta(1), turn(), snapshot(1), snapshot(2)],
      [file(1).replace(DAY, '.codex/archived_sessions')]: [meta(1), turn(), snapshot(1)],
      [file(2).replace(DAY, '.codex/archived_sessions')]: [meta(2), turn(), snapshot(1)],
    })
    expect(sumRows(rows)).toEqual(calls(3))
  })
})

describe('a fork', () => {
  const parent = [meta(1), turn(), snapshot(1), snapshot(2), snapshot(3)]

  test.each([
    ['that names its parent', [meta(2, { forked_from_id: id(1) })]],
    ['that has the header of its parent', [meta(2), meta(1)]],
  ])('%s and repeats its totals adds its own calls', async (_, head) => {
    const lines = [...head, turn(), snapshot(1), snapshot(2), snapshot(3), turn(), snapshot(4)]
    const { rows, skipped } = await read({ [file(1)]: parent, [file(2)]: lines })
    expect([sumRows(rows), skipped]).toEqual([calls(4), []])
  })

  test('that repeats the end of a long history, from a parent with records', async () => {
    const records = ['a', 'b', 'c'].flatMap((answer, index) => [record(1, answer), snapshot(index + 1)])
    const { rows } = await read({
      [file(1)]: [meta(1), turn(), ...records],
      [file(2)]: [meta(2, { forked_from_id: id(1) }), snapshot(2), snapshot(3), turn(), snapshot(4)],
    })
    expect(sumRows(rows)).toEqual(calls(4))
  })

  test('with a paginated history copies nothing, and its totals go on from its parent', async () => {
    const paginated = { history_mode: 'paginated', forked_from_id: id(1), forked_from_ordinal_exclusive: 18 }
    for (const own of [[snapshot(4)], [record(2, 'd'), snapshot(4)]]) {
      const { rows } = await read({ [file(1)]: parent, [file(2)]: [meta(2, paginated), turn(), ...own] })
      expect(sumRows(rows)).toEqual(calls(4))
    }
  })

  test('whose parent is missing is reported, and not counted', async () => {
    const lines = [meta(2, { forked_from_id: id(1) }), turn(), snapshot(3), snapshot(4)]
    const { rows, skipped } = await read({ [file(2)]: lines })
    expect([rows, skipped]).toEqual([[], [{ reason: 'no-parent', count: 2, tokens: 2_438 }]])
  })
})

test('sub-agents, also of sub-agents, count from zero after the history that they begin with', async () => {
  const agent = (parent: number) => ({
    thread_source: 'subagent',
    session_id: id(1),
    source: { subagent: { thread_spawn: { parent_thread_id: id(parent), depth: parent } } },
    subagent_history_start_ordinal: 4,
  })
  const copied = [
    meta(1),
    { ...turn(), ordinal: 2 },
    { ...record(1, 'a'), ordinal: 3 },
    snapshot(1, { ordinal: 3 }),
  ]
  const own = (thread: number, answer: string) => [
    { ...turn('gpt-5.5-mini'), ordinal: 4 },
    { ...record(thread, answer, { session_id: id(1) }), ordinal: 5 },
    snapshot(1, { ordinal: 6 }),
  ]
  const { rows } = await read({
    [file(1)]: [meta(1), turn(), record(1, 'a'), snapshot(1)],
    [file(2)]: [meta(2, agent(1)), ...copied, ...own(2, 'b')],
    [file(3)]: [meta(3, agent(2)), ...copied, ...own(3, 'c')],
  })
  expect(
    rows.map(({ answerId, session, agent: thread, model }) => [answerId, session, thread, model]),
  ).toEqual([
    ['a', id(1), null, 'gpt-5.5'],
    ['b', id(1), id(2), 'gpt-5.5-mini'],
    ['c', id(1), id(3), 'gpt-5.5-mini'],
  ])
})

test('the model and the tier are those of the moment', async () => {
  const settings = (tier: string | null) =>
    event('thread_settings_applied', { thread_settings: { model: 'gpt-5.5', service_tier: tier } })
  const { rows } = await read({
    [file(1)]: [
      ...[meta(1), turn('gpt-5'), record(1, 'a'), settings('priority'), record(1, 'b')],
      ...[
        turn('gpt-5.4'),
        record(1, 'c', { usage: { input_tokens: 300_000 } }),
        settings(null),
        record(1, 'd'),
      ],
    ],
  })
  expect(rows.map(({ model, tier, tokens }) => [model, tier, tokens.input])).toEqual([
    ['gpt-5', null, 600],
    ['gpt-5.5', 'priority', 600],
    ['gpt-5.4', 'priority', 300_000],
    ['gpt-5.5', null, 600],
  ])
})

test('imported sessions of other tools are left out', async () => {
  const imported = turn('claude-opus-5', 'external-import-turn-1')
  const { rows, skipped } = await read({
    [file(1)]: [
      ...[meta(1), imported, snapshot(1), record(1, 'x', { turn_id: 'external-import-turn-1' })],
      ...[turn(), record(1, 'a')],
    ],
  })
  expect([sumRows(rows), skipped]).toEqual([calls(1), []])
})

test('a line that is being written counts with the next reading, and long ones of other kinds cost nothing', async () => {
  const other = line('response_item', {
    type: 'message',
    content: `"token_count" ${'x'.repeat(9 * 1024 * 1024)}`,
  })
  const text = toLines([meta(1), turn(), record(1, 'a'), other, record(1, 'b')])
  const partial = await read({ [file(1)]: text.slice(0, -20) })
  expect([sumRows(partial.rows), partial.skipped]).toEqual([calls(1), []])
  expect(sumRows((await read({ [file(1)]: text })).rows)).toEqual(calls(2))
})
