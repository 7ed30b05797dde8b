import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { checkFallbacks } from './fallbacks.ts'

const chains = (table: Record<string, string[]>, served: string[] = Object.keys(table)) => ({
  resolves: (id: string) => served.includes(id),
  fallbacksOf: (id: string) => table[id] ?? [],
})

test('a chain that ends is taken, even when two ways lead to its end', () => {
  const graph = chains({ b: ['d'], c: ['d'], d: [] })
  expect(() => checkFallbacks('a', ['b', 'c'], graph)).not.toThrow()
})

test('a way that leads back is refused and told', () => {
  const graph = chains({ b: ['c'], c: ['x', 'd'], d: ['a'], x: [] })
  expect(() => checkFallbacks('a', ['b'], graph)).toThrow('a → b → c → d → a')
  expect(() => checkFallbacks('a', ['a'], graph)).toThrow('its own fallback')
})

test('a circle that others closed elsewhere holds nothing up', () => {
  const graph = chains({ b: ['c'], c: ['b'] })
  expect(() => checkFallbacks('a', ['b'], graph)).not.toThrow()
})

test('a fallback that nobody serves is refused, unless it stood there before', () => {
  expect(() => checkFallbacks('a', ['gone'], chains({}))).toThrow('"gone"')
  expect(() => checkFallbacks('a', ['gone'], chains({ a: ['gone'] }, []))).not.toThrow()
})

test('over HTTP, a circle and an unknown fallback are 400s that name `fallbacks`, and nothing is changed', async () => {
  const gateway = await startTestGateway()
  try {
    await gateway.addProvider('one', 'http://127.0.0.1:9/v1', ['m1', 'm2', 'm3'])
    const fallbacks = (id: string, ...list: string[]) =>
      gateway.call('PUT', `/v1/models/${id}`, { body: { provider: 'one', fallbacks: list } })
    expect((await fallbacks('m1', 'm2')).status).toBe(200)
    expect((await fallbacks('m2', 'm3')).status).toBe(200)
    const circle = await fallbacks('m3', 'm1')
    expect(circle.status).toBe(400)
    expect(circle.json.error).toMatchObject({ type: 'invalid_request_error', param: 'fallbacks' })
    const unknown = await fallbacks('m3', 'nobody-has-this')
    expect(unknown.status).toBe(400)
    expect(unknown.json.error).toMatchObject({ param: 'fallbacks' })
    expect(unknown.json.error.message).toContain('nobody-has-this')
    expect((await gateway.call('GET', '/v1/models/m3')).json.fallbacks).toEqual([])
    expect((await fallbacks('m3', 'one/m9')).status).toBe(200)
  } finally {
    await gateway.close()
  }
})
