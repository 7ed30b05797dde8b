// How soon an upstream call ends after its client has left. A single one may take longer on a machine that is busy.
import { expect, test } from 'vitest'
import { testChunk } from '../gateway/upstream/testing/test-upstream.ts'
import { startForFile } from './testing/upstream.ts'

const CALLS = 21
const { tollgate, upstream } = await startForFile()

test.each([
  ['streamed', true],
  ['plain', false],
])('most %s upstream calls are aborted within 100 ms after the client disconnects', async (_, stream) => {
  const times: number[] = []
  for (let call = 0; call < CALLS; call++) {
    const asked = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<void>()
    await upstream.model('unanswered', (exchange) => {
      if (stream) exchange.begin().data(testChunk({ role: 'assistant', content: 'some words' }))
      void exchange.disconnected.then(aborted.resolve)
      asked.resolve()
    })
    const client = new AbortController()
    const answer = tollgate.chat({ model: 'unanswered', stream }, { signal: client.signal }).catch(() => null)
    await asked.promise
    const leftAt = performance.now()
    client.abort()
    await aborted.promise
    times.push(performance.now() - leftAt)
    await answer
  }
  const [median] = times.toSorted((a, b) => a - b).slice(Math.floor(CALLS / 2))
  expect(median).toBeLessThan(100)
})
