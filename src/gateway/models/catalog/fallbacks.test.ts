import { expect, test } from 'vitest'
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
