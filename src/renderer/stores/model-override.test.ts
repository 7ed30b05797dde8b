import { expect, test } from 'vitest'
import { isAlias, saysMore, turned } from './model-override.ts'

const priced = { pricing: { inputPerMillion: 1, outputPerMillion: 2 }, fallbacks: ['other'] }

test('turning a model off and on again leaves what was said of it', () => {
  const off = turned(priced, false)
  expect(off).toEqual({ ...priced, enabled: false })
  expect(turned(off, true)).toEqual(priced)
})

test('a model of which nothing else was said has no override once it is on again', () => {
  expect(turned(null, false)).toEqual({ enabled: false })
  expect(turned({ enabled: false }, true)).toBeNull()
})

test('being off is no change of what is known', () => {
  expect(saysMore({ enabled: false })).toBe(false)
  expect(saysMore(null)).toBe(false)
  expect(saysMore(turned(priced, false))).toBe(true)
})

test('a model at another name is an alias', () => {
  expect(isAlias({ provider: 'openai', upstreamModel: 'gpt-5.5' })).toBe(true)
  expect(isAlias({ provider: 'openai' })).toBe(false)
})
