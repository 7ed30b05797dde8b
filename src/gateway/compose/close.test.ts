import { expect, test, vi } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forTest } from '../testing/lifetime.ts'
import { startTestUpstream, testChunk } from '../upstream/testing/test-upstream.ts'

const maintenance = vi.hoisted(() => Promise.withResolvers<void>())
vi.mock(import('../maintenance/maintenance.ts'), async (importOriginal) => ({
  ...(await importOriginal()),
  startMaintenance: () => ({ stop: () => maintenance.promise }),
}))

test('closing aborts running requests without waiting for a backup', async () => {
  const upstream = await forTest(
    startTestUpstream((exchange) => {
      exchange.begin().data(testChunk({ content: 'part of an answer' }))
    }),
  )
  const tollgate = await startTestGateway()
  await tollgate.addProvider('acme', upstream.url, ['endless'])
  const started = new Promise<void>((resolve) => {
    tollgate.gateway.subscribe((event) => event.type === 'request' && resolve())
  })
  const running = tollgate.chat({ model: 'endless', stream: true })
  await started
  const closed = tollgate.gateway.close(0)
  expect((await running).text).toContain('"code":"shutting_down"')
  maintenance.resolve()
  await closed
  await tollgate.close()
})

test('who does not want to wait for running requests ends them, and what they used is charged', async () => {
  maintenance.resolve()
  const upstream = await forTest(
    startTestUpstream((exchange) => {
      exchange.begin().data(testChunk({ content: 'part of an answer' }))
    }),
  )
  const tollgate = await startTestGateway()
  await tollgate.addProvider('acme', upstream.url, ['endless'])
  const response = await tollgate.openStream({ model: 'endless' })
  const hurry = new AbortController()
  let closed: Promise<void> | null = null
  let text = ''
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece
    if (closed !== null || !text.includes('part of an answer')) continue
    closed = tollgate.gateway.close(3_600_000, hurry.signal)
    hurry.abort()
  }
  expect(text).toContain('"code":"shutting_down"')
  await closed
  const { dataDir, admin } = tollgate
  const again = await startTestGateway({ dataDir, admin })
  const [record] = await again.records()
  expect(record).toMatchObject({ status: 'failed', costStatus: 'estimated', tokensOut: 5 })
  expect(Number(record?.costUsd)).toBeGreaterThan(0)
  await again.close()
  await tollgate.close()
})
