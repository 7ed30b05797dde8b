import { afterAll, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

const tollgate = await startTestGateway()
afterAll(() => tollgate.close())

test('a name of any length is refused, and not repeated', async () => {
  for (const model of ['😀'.repeat(1_000_000), `openai/${'x'.repeat(4_000_000)}`]) {
    const { status, json } = await tollgate.chat({ model })
    expect([status, json.error.code]).toEqual([404, 'model_not_found'])
    expect(json.error.message.length).toBeLessThan(400)
  }
})
