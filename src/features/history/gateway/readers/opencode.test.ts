import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { tempDirForTest } from '../../../../gateway/testing/temp-dir.ts'
import { createHome, readHome, sumRows } from '../testing/log-home.ts'
import { openOtherDatabase } from '../testing/other-database.ts'
import { kilo, opencode } from './opencode.ts'

const FILE = '.local/share/opencode/opencode.db'
const TIME = Date.UTC(2026, 10, 20, 10)

/** The tables of opencode 1.18.33, without the columns that are not read. */
const TABLES = `
  CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL);
  CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, data text NOT NULL);
  CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, data text NOT NULL);`

const answer = (more = {}) => ({
  ...{ role: 'assistant', modelID: 'gpt-5.5', providerID: 'tollgate', path: { cwd: '/work/shop' }, cost: 0 },
  time: { created: TIME, completed: TIME + 3_000 },
  tokens: { total: 1_229, input: 600, output: 169, reasoning: 50, cache: { read: 400, write: 10 } },
  ...more,
})
const later = answer({ time: { created: TIME + 5_000, completed: TIME + 6_000 } })
const calls = (count: number) => ({
  ...{ calls: count, input: 600 * count, cacheRead: 400 * count, cacheWrite5m: 10 * count },
  ...{ output: 219 * count, reasoning: 50 * count },
})

type Message = [id: string, session: string, data: object | string]

function openDatabase(path: string) {
  const db = openOtherDatabase(path, TABLES)
  return {
    ...db,
    add(...messages: Message[]) {
      const toText = (data: object | string) => (typeof data === 'string' ? data : JSON.stringify(data))
      db.insert('message', ...messages.map(([id, session, data]) => [id, session, toText(data)]))
    },
  }
}

test('answers that are only in the log of an open database are rows, and uncommitted ones are none', async () => {
  const place = createHome({})
  const copies = tempDirForTest()
  vi.stubEnv('TMPDIR', copies)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  const path = join(place.home, FILE)
  const db = openDatabase(path)
  db.add(['m0', 's1', { role: 'user' }], ['m1', 's1', answer()])
  expect(statSync(path).size).toBe(4_096)
  db.exec('BEGIN')
  db.add(['m2', 's1', later])
  const { rows } = await readHome(opencode, place)
  expect(sumRows(rows)).toEqual(calls(1))
  expect(rows[0]).toMatchObject({
    ...{ tool: 'opencode', model: 'gpt-5.5', provider: 'tollgate', session: 's1', agent: null, time: TIME },
    ...{ project: '/work/shop', answerId: null },
  })
  db.exec('COMMIT')
  expect(sumRows((await readHome(opencode, place)).rows)).toEqual(calls(2))
  db.checkpoint()
  expect(sumRows((await readHome(opencode, place)).rows)).toEqual(calls(2))
  expect(readdirSync(copies)).toEqual([])
})

test('a fork has copies with other ids, which count once, and an answer that has not begun does not count', async () => {
  const place = createHome({})
  const db = openDatabase(join(place.home, FILE))
  const begun = answer({
    time: { created: TIME + 9_000 },
    tokens: { input: 0, output: 0, reasoning: 0, cache: {} },
  })
  db.add(['m1', 's1', answer()], ['m2', 's1', begun], ['m3', 's2', answer()], ['m4', 's2', later])
  expect(sumRows((await readHome(opencode, place)).rows)).toEqual(calls(2))
})

test('sub-agents are a part of the session that began them, and the newer table of messages is not counted again', async () => {
  const place = createHome({})
  const db = openDatabase(join(place.home, FILE))
  db.exec(`INSERT INTO session VALUES ('s1', NULL, '/work'), ('s2', 's1', '/work'), ('s3', 's2', '/work')`)
  db.add(['m1', 's1', answer({ path: undefined })], ['m2', 's3', later])
  db.exec(`INSERT INTO session_message SELECT id, session_id, 'assistant', data FROM message`)
  const { rows } = await readHome(opencode, place)
  expect(rows.map(({ session, agent, project }) => [session, agent, project])).toEqual([
    ['s1', null, '/work'],
    ['s1', 's3', '/work/shop'],
  ])
})

test('the files of older versions count where there is no database', async () => {
  const files = {
    '.local/share/opencode/storage/message/s1/m1.json': JSON.stringify({ id: 'm1', ...answer() }),
    '.local/share/opencode/storage/message/s1/m2.json': '{}',
  }
  const place = createHome(files)
  expect(sumRows((await readHome(opencode, place)).rows)).toEqual(calls(1))
  openDatabase(join(place.home, FILE)).add(['m9', 's9', later])
  expect(sumRows((await readHome(opencode, place)).rows)).toEqual(calls(1))
})

test('Kilo has a database of its own, and both can be elsewhere or of another channel', async () => {
  const place = createHome({})
  openDatabase(join(place.home, 'data/kilo/kilo.db')).add(['m1', 's1', answer()])
  openDatabase(join(place.home, 'data/opencode/opencode-dev.db')).add(['m1', 's1', answer()])
  openDatabase(join(place.home, 'other.db')).add(['m1', 's1', later])
  const env = { XDG_DATA_HOME: join(place.home, 'data'), OPENCODE_DB: join(place.home, 'other.db') }
  expect(sumRows((await readHome(kilo, { ...place, env })).rows)).toEqual(calls(1))
  expect(sumRows((await readHome(opencode, { ...place, env })).rows)).toEqual(calls(2))
  const missing = { ...env, OPENCODE_DB: 'none.db' }
  expect((await readHome(opencode, { ...place, env: missing })).skipped).toEqual([])
})

test('damage is reported, and costs nothing else', async () => {
  const place = createHome({ '.local/share/opencode/opencode-old.db': 'no database' })
  openDatabase(join(place.home, FILE)).add(['m1', 's1', '{"role":"assistant"'], ['m2', 's1', answer()])
  const { rows, skipped } = await readHome(opencode, place)
  expect(sumRows(rows)).toEqual(calls(1))
  expect(skipped).toEqual([
    { reason: 'damaged-database', count: 1, tokens: 0 },
    { reason: 'damaged-row', count: 1, tokens: 0 },
  ])
})
