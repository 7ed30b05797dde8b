import { expect, it } from 'vitest'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'

it('answers other requests while it compares 100,000 rows', async () => {
  const tollgate = await startTestGateway({ hasStoreThreads: true })
  const start = Date.parse('2026-11-20T00:00:00Z')
  const rows = Array.from({ length: 100_000 }, (_, index) => {
    const at = new Date(start + index * 500).toISOString()
    return `gen-${index},${at},0.0123456789,${1_000 + (index % 977)},${index % 331},vendor/model-${index % 7}`
  })
  const body = [
    'generation_id,created_at,cost_total,tokens_prompt,tokens_completion,model_permaslug',
    ...rows,
  ].join('\n')
  let isCompared = false
  const comparing = tollgate.call('POST', '/v1/reconciliations?provider=sandbox', {
    body,
    headers: { 'content-type': 'text/csv' },
  })
  void comparing.then(() => {
    isCompared = true
  })
  expect((await tollgate.chat({})).status).toBe(200)
  expect(isCompared).toBe(false)
  const { json } = await comparing
  expect(json).toMatchObject({ rows: 100_000, counts: { 'missing-here': 100_000 }, requestsLeftOut: 95_000 })
  expect(json.there.costUsd).toBe(1234.56789)
  await tollgate.close()
}, 60_000)
