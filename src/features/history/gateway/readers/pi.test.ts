import { expect, test } from 'vitest'
import { createHome, readHome, sumRows } from '../testing/log-home.ts'
import { pi } from './pi.ts'

const FILE = '.pi/agent/sessions/--work-shop--/2026-11-20_s1.jsonl'
const read = async (files: Parameters<typeof createHome>[0]) => readHome(pi, createHome(files))

const session = (id: string) => ({ type: 'session', version: 3, id, cwd: '/work/shop' })
const TIME = Date.UTC(2026, 10, 20, 10)
const answer = (responseId: string | undefined, timestamp = TIME, id = 'e1') => ({
  ...{ type: 'message', id, parentId: 'e0', timestamp: '2026-11-20T10:00:05.000Z' },
  message: {
    ...{ role: 'assistant', provider: 'tollgate', model: 'gpt-5.5', content: [], timestamp, responseId },
    usage: {
      input: 600,
      output: 219,
      cacheRead: 400,
      cacheWrite: 10,
      totalTokens: 1_229,
      cost: { total: 0 },
    },
  },
})
const calls = (count: number) => ({
  ...{
    calls: count,
    input: 600 * count,
    cacheRead: 400 * count,
    cacheWrite5m: 10 * count,
    output: 219 * count,
  },
})

test('answers are rows, with what joins and places them', async () => {
  const user = { type: 'message', id: 'e0', message: { role: 'user', content: '"usage":{' } }
  const { rows } = await read({
    [FILE]: [session('s1'), user, answer('req_1'), answer(undefined, TIME + 1, 'e2')],
  })
  expect(sumRows(rows)).toEqual(calls(2))
  expect(rows[0]).toMatchObject({
    ...{ answerId: 'req_1', model: 'gpt-5.5', provider: 'tollgate', session: 's1', time: TIME },
    project: '/work/shop',
  })
})

test('a forked session has copies, which count once, also without the ids of answers', async () => {
  const lines = [answer('req_1'), answer(undefined, TIME + 1, 'e2')]
  const { rows } = await read({
    [FILE]: [session('s1'), ...lines],
    [FILE.replace('s1', 's2')]: [session('s2'), ...lines, answer('req_3', TIME + 2)],
  })
  expect(sumRows(rows)).toEqual(calls(3))
})

test('the folder can be another one', async () => {
  const place = createHome({ 'pi/sessions/p/s1.jsonl': [session('s1'), answer('req_1')] })
  const { rows } = await readHome(pi, { ...place, env: { PI_CODING_AGENT_DIR: '~/pi' } })
  expect(sumRows(rows)).toEqual(calls(1))
})
