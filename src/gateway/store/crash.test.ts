import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { PROGRAM_FILE } from '../testing/program.ts'
import { SOURCE_FLAGS } from '../testing/source-flags.ts'
import { openTestStore } from './testing/samples.ts'
import { tempDir } from './testing/temp-store.ts'

/** Built, as it starts sooner. */
const STORE = pathToFileURL(join(dirname(PROGRAM_FILE), 'store.js')).href
const program = fileURLToPath(new URL('./testing/settling-process.ts', import.meta.url))

test.each([50, 1500])('kill -9 after %i settlements loses none that was acknowledged', async (count) => {
  const dataDir = tempDir()
  const argv = [...SOURCE_FLAGS, program, dataDir, STORE]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const acknowledged: string[] = []
  createInterface({ input: child.stdout }).on('line', (id) => {
    acknowledged.push(id)
    if (acknowledged.length === count) child.kill('SIGKILL')
  })
  await closed
  expect(acknowledged.length).toBeGreaterThanOrEqual(count)

  const store = await openTestStore({ dataDir })
  const abandoned = await store.write('settleAbandoned', { now: Date.now() })
  const status = new Map<string, string>()
  let cursor: string | undefined
  do {
    const page = await store.read('listRequests', { limit: 500, ...(cursor ? { cursor } : {}) })
    for (const row of page.rows) status.set(row.id, row.status)
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  // The last line may have been cut off by the kill; every whole one was acknowledged.
  const lost = acknowledged.filter((id) => status.get(id) !== 'succeeded')
  expect(lost).toEqual([])
  expect(await store.read('checkTotals')).toEqual([])
  const { accountSpendNano } = await store.read('loadState')
  const succeeded = [...status.values()].filter((value) => value === 'succeeded').length
  expect(accountSpendNano).toBe(succeeded * 7 + abandoned.length * 300)
  await store.close()
})
