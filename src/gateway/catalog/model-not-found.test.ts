import { afterAll, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

const tollgate = await startTestGateway()
afterAll(() => tollgate.close())

test('a name of any length is refused at once, and not repeated', async () => {
  for (const model of ['😀'.repeat(100_000), `openai/${'x'.repeat(400_000)}`]) {
    const start = performance.now()
    const { status, json } = await tollgate.chat({ model })
    expect([status, json.error.code]).toEqual([404, 'model_not_found'])
    expect(json.error.message.length).toBeLessThan(400)
    expect(performance.now() - start).toBeLessThan(2_000)
  }
})
