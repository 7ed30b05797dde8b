import { expect, onTestFinished, test } from 'vitest'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import { nanoUsd } from '../../../shared/money/money.ts'
import { silentLog } from '../../platform/log.ts'
import { openStore } from '../store.ts'
import { setRollupTimeZone } from '../sums/rollup-columns.ts'
import { usage } from '../sums/usage.ts'
import { NOON, recordRequest, sampleKey, temporary } from '../testing/samples.ts'
import { migrations } from './migrations.ts'
import { openDatabase } from './open.ts'
import { dropViews } from './views.ts'

const WIDENED = 'errors, cached tokens and durations in the sums'

const { tempDir } = temporary(onTestFinished)

test('sums of an earlier version get what the request rows know', async () => {
  const dataDir = tempDir()
  const store = await openStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  await store.write('setRollupTimeZone', 'Europe/Berlin')
  for (let i = 0; i < 40; i++)
    await recordRequest(
      store,
      `req_${i}`,
      { createdAt: NOON + i * 4_000_000, client: i % 3 === 0 ? null : 'curl/8.5' },
      {
        model: i % 4 === 0 ? null : 'small',
        provider: i % 5 === 0 ? null : 'sandbox',
        status: i % 5 === 0 ? 'failed' : 'succeeded',
        costNano: i % 6 === 0 ? null : nanoUsd(1),
        usage: { ...NO_USAGE, input: 8, cacheRead: 2, output: 5 },
      },
    )
  await store.close()

  const before = openDatabase(dataDir, silentLog, NOON).db
  const all = () => ['rollups', 'day_sums'].map((table) => before.prepare(`SELECT * FROM ${table}`).all())
  const written = all()
  // As the version before left it. SQLite drops no column that a view reads.
  dropViews(before)
  for (const table of ['rollups', 'day_sums'])
    for (const column of ['tokens_cached', 'errors', 'unpriced', 'timings'])
      before.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`)
  before.pragma(`user_version = ${migrations.findIndex(({ name }) => name === WIDENED)}`)
  before.close()

  const upTo = migrations.slice(0, migrations.findIndex(({ name }) => name === WIDENED) + 1)
  const { db } = openDatabase(dataDir, silentLog, NOON, upTo)
  onTestFinished(() => void db.close())
  const filled = ['rollups', 'day_sums'].map((table) => db.prepare(`SELECT * FROM ${table}`).all())
  expect(filled).toEqual(written)
  expect(setRollupTimeZone(db, 'UTC')).toBe(true)
  const [total] = usage(db, { groupBy: 'key', timeZone: 'UTC' })
  expect(total).toMatchObject({ requests: 40, errors: 8, unpriced: 7, tokensCached: 80 })
})
