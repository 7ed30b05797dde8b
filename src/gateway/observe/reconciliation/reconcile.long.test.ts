import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'

it('compares 100,000 rows within seconds, while other requests are answered', async () => {
  const tollgate = await startTestGateway()
  const start = Date.parse('2026-11-20T00:00:00Z')
  const rows = Array.from({ length: 100_000 }, (_, index) => {
    const at = new Date(start + index * 500).toISOString()
    return `gen-${index},${at},0.0123456789,${1_000 + (index % 977)},${index % 331},vendor/model-${index % 7}`
  })
  const body = [
    'generation_id,created_at,cost_total,tokens_prompt,tokens_completion,model_permaslug',
    ...rows,
  ].join('\n')
  const delay = monitorEventLoopDelay({ resolution: 5 })
  const startedAt = performance.now()
  delay.enable()
  const comparing = tollgate.call('POST', '/v1/reconciliations?provider=sandbox', {
    body,
    headers: { 'content-type': 'text/csv' },
  })
  const chat = await tollgate.chat({})
  const { json } = await comparing
  delay.disable()
  expect(chat.status).toBe(200)
  expect(json).toMatchObject({ rows: 100_000, counts: { 'missing-here': 100_000 }, itemsLeftOut: 95_000 })
  expect(json.there.costUsd).toBe(1234.56789)
  expect(performance.now() - startedAt).toBeLessThan(15_000)
  expect(delay.max / 1e6).toBeLessThan(400)
  await tollgate.close()
}, 60_000)
