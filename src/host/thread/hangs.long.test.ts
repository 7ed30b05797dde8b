// Hangs of the gateway's thread. Their times are long enough for a busy machine.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runInGateway, startTestThread } from './testing/test-thread.ts'

const TIMES = { beatMs: 200, hangMs: 3_000 }

test('a gateway that hangs is reported, ended and started again', async () => {
  const { crashes, call } = await startTestThread({}, { ...TIMES, recoveryMs: 100 })
  await runInGateway('setImmediate(function runForEver() { for (;;); })')
  await expect.poll(() => crashes.map(({ kind }) => kind)).toEqual(['hang', 'gateway'])
  expect((await call('/v1/keys')).status).toBe(200)
})

test('a gateway that goes on after a hang is not ended', async () => {
  const { crashes, call, dataDir } = await startTestThread({}, { ...TIMES, recoveryMs: 60_000 })
  const reported = join(dataDir, 'reported')
  const wait = `while (!process.getBuiltinModule('fs').existsSync(${JSON.stringify(reported)}));`
  await runInGateway(`setImmediate(() => { ${wait} })`)
  await expect.poll(() => crashes.map(({ kind }) => kind)).toEqual(['hang'])
  writeFileSync(reported, '')
  expect((await call('/v1/keys')).status).toBe(200)
  expect(crashes).toHaveLength(1)
})
