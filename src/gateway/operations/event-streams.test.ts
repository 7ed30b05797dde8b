import { expect, test, vi } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forTest } from '../testing/lifetime.ts'

test('an event is serialized once for all streams', async () => {
  const tollgate = await forTest(startTestGateway())
  const streams = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const headers = { authorization: `Bearer ${tollgate.admin}` }
      const { body } = await fetch(`${tollgate.baseUrl}/v1/events`, { headers })
      return body?.pipeThrough(new TextDecoderStream()).getReader() ?? expect.fail('no stream')
    }),
  )
  const stringify = vi.spyOn(JSON, 'stringify')
  await tollgate.createKey({ name: 'announced', scope: 'full' })
  for (const reader of streams) {
    let text = ''
    while (!text.includes('"announced"')) text += (await reader.read()).value ?? expect.fail('it ended')
  }
  const events = stringify.mock.calls.filter(
    ([value]) => value?.type === 'key' && value.key.name === 'announced',
  )
  stringify.mockRestore()
  expect(events).toHaveLength(1)
})
