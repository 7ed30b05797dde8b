import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listen } from '../../gateway/testing/listen.ts'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { NotRunningError } from '../../host/gateway-client.ts'
import { createCaller } from './caller.ts'

const received: (string | undefined)[] = []
let answer = '{}'
const stranger = createServer((request, response) => {
  received.push(request.headers.authorization)
  response.setHeader('content-type', 'application/json').end(answer)
})
let origin = ''
let dataDir = ''
beforeEach(async () => {
  received.length = 0
  dataDir = tempDirForTest()
  origin = `http://127.0.0.1:${await listen(stranger)}`
})
afterEach(async () => {
  await once(stranger.close(), 'close')
})

test('while Tollgate is stopped, no one who has taken its port gets the key', async () => {
  // The file as a crash leaves it.
  writeFileSync(join(dataDir, 'lock.json'), JSON.stringify({ pid: 1, program: 'serve', baseUrl: origin }))
  const caller = createCaller({ apiKey: 'tg-secret', baseUrl: '', dataDir })
  await expect(caller.call('getCallingKey')).rejects.toThrow(NotRunningError)
  expect(received).toEqual([])
})

test.each(['{}', 'no JSON'])(
  'a program that answers %s instead of Tollgate is reported in a sentence',
  async (text) => {
    answer = text
    const caller = createCaller({ apiKey: 'tg-secret', baseUrl: origin, dataDir })
    await expect(caller.call('getCallingKey')).rejects.toThrow(
      'What answered is not Tollgate, or another version of it.',
    )
  },
)
