// Hangs of the gateway's thread. Their times are long enough for a busy machine.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runInGateway, startTestThread } from './testing/test-thread.ts'

test('a gateway that hangs is ended, reported and started again', async () => {
  const { crashes, call } = await startTestThread({}, { everyMs: 200, maxSilences: 15 })
  await runInGateway('setImmediate(function runForEver() { for (;;); })')
  await expect
    .poll(() => crashes)
    .toMatchObject([{ kind: 'gateway', details: expect.stringMatching(/^Error\n/) }])
  expect((await call('/v1/keys')).status).toBe(200)
})

test('a gateway that goes on after a hang is not ended', async () => {
  const { crashes, call, dataDir } = await startTestThread({}, { everyMs: 200, maxSilences: 300 })
  const mayGoOn = join(dataDir, 'go-on')
  const wait = `while (!process.getBuiltinModule('fs').existsSync(${JSON.stringify(mayGoOn)}));`
  await runInGateway(`setImmediate(() => { ${wait} })`)
  const answer = call('/v1/keys')
  writeFileSync(mayGoOn, '')
  expect((await answer).status).toBe(200)
  expect(crashes).toEqual([])
})
