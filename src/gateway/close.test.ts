import { expect, test, vi } from 'vitest'
import { startTestGateway } from './testing/gateway.ts'
import { startTestUpstream, testChunk } from './upstream/testing/test-upstream.ts'

const maintenance = vi.hoisted(() => Promise.withResolvers<void>())
vi.mock('./maintenance/maintenance.ts', () => ({
  startMaintenance: () => ({ stop: () => maintenance.promise }),
}))

test('closing does not wait for a backup before it ends what is running', async () => {
  const upstream = await startTestUpstream((exchange) => {
    exchange.begin().data(testChunk({ content: 'on and on' }))
  })
  const tollgate = await startTestGateway()
  await tollgate.addProvider('acme', upstream.url, ['endless'])
  const asked = new Promise<void>((resolve) => {
    tollgate.gateway.subscribe((event) => event.type === 'request' && resolve())
  })
  const running = tollgate.chat({ model: 'endless', stream: true })
  await asked
  const closed = tollgate.close()
  expect((await running).text).toContain('"code":"shutting_down"')
  maintenance.resolve()
  await closed
  await upstream.close()
})
