import { expect } from 'vitest'
import { shareSection } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('Providers')

const findSandbox = async () =>
  (await tollgate.call('GET', '/v1/providers')).json.data.find((row: { id: string }) => row.id === 'sandbox')

test('A fresh installation serves a sandbox completion with a cost', async () => {
  expect(await findSandbox()).toMatchObject({ configured: true, enabled: true, health: { state: 'ready' } })
  const { status, headers } = await tollgate.chat({})
  expect(status).toBe(200)
  expect(Number(headers.get('x-service-cost-usd'))).toBeGreaterThan(0)
})

test('The sandbox stays enabled until the user disables it, and serves only its own models', async () => {
  await tollgate.addProvider('unreachable', 'http://127.0.0.1:1/v1', ['lonely'])
  const of = async (id: string) => (await tollgate.call('GET', `/v1/models/${id}`)).json.providers
  expect([await of('lonely'), await of('sandbox-small')]).toEqual([['unreachable'], ['sandbox']])
  expect((await tollgate.chat({ model: 'lonely' })).status).toBe(502)
  expect((await tollgate.chat({ model: 'sandbox/lonely' })).status).toBe(404)
  expect(await findSandbox()).toMatchObject({ enabled: true, health: { state: 'ready' } })
  expect((await tollgate.chat({})).status).toBe(200)
})
