import { expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'
import { forTest } from '../../testing/lifetime.ts'
import { checkFallbacks } from './catalog.ts'

const chains = (table: Record<string, string[]>, served: string[] = Object.keys(table)) => ({
  resolves: (id: string) => served.includes(id),
  listFallbacks: (id: string) => table[id] ?? [],
})

test('a chain without a cycle is accepted, even if two paths lead to its end', () => {
  const graph = chains({ b: ['d'], c: ['d'], d: [] })
  expect(() => checkFallbacks('a', ['b', 'c'], graph)).not.toThrow()
})

test('a cycle is rejected with its path', () => {
  const graph = chains({ b: ['c'], c: ['x', 'd'], d: ['a'], x: [] })
  expect(() => checkFallbacks('a', ['b'], graph)).toThrow('a → b → c → d → a')
  expect(() => checkFallbacks('a', ['a'], graph)).toThrow('its own fallback')
})

test('a cycle among other models does not matter', () => {
  const graph = chains({ b: ['c'], c: ['b'] })
  expect(() => checkFallbacks('a', ['b'], graph)).not.toThrow()
})

test('a fallback that no provider offers is rejected, unless the model already had it', () => {
  expect(() => checkFallbacks('a', ['gone'], chains({}))).toThrow('"gone"')
  expect(() => checkFallbacks('a', ['gone'], chains({ a: ['gone'] }, []))).not.toThrow()
})

test('over HTTP, a cycle and an unknown fallback are 400 with param `fallbacks`, and nothing changes', async () => {
  const gateway = await forTest(startTestGateway())
  await gateway.addProvider('one', 'http://127.0.0.1:9/v1', ['m1', 'm2', 'm3'])
  const fallbacks = (id: string, ...list: string[]) =>
    gateway.call('PUT', `/v1/models/${id}`, { body: { provider: 'one', fallbacks: list } })
  expect((await fallbacks('m1', 'm2')).status).toBe(200)
  expect((await fallbacks('m2', 'm3')).status).toBe(200)
  const cycle = await fallbacks('m3', 'm1')
  expect(cycle.status).toBe(400)
  expect(cycle.json.error).toMatchObject({ type: 'invalid_request_error', param: 'fallbacks' })
  const unknown = await fallbacks('m3', 'unknown-model')
  expect(unknown.status).toBe(400)
  expect(unknown.json.error).toMatchObject({ param: 'fallbacks' })
  expect(unknown.json.error.message).toContain('unknown-model')
  expect((await gateway.call('GET', '/v1/models/m3')).json.fallbacks).toEqual([])
  expect((await fallbacks('m3', 'one/m9')).status).toBe(200)
})
