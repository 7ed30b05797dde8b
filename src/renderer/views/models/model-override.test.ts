import { expect, test } from 'vitest'
import { isAlias, isCustomized, withEnabled } from './model-override.ts'

const priced = { pricing: { inputPerMillion: 1, outputPerMillion: 2 }, fallbacks: ['other'] }

test('disabling a model and enabling it again keeps the rest of its override', () => {
  const disabled = withEnabled(priced, false)
  expect(disabled).toEqual({ ...priced, enabled: false })
  expect(withEnabled(disabled, true)).toEqual(priced)
})

test('a model without other settings has no override once it is enabled again', () => {
  expect(withEnabled(null, false)).toEqual({ enabled: false })
  expect(withEnabled({ enabled: false }, true)).toBeNull()
})

test('a model that is only disabled is not customized', () => {
  expect(isCustomized({ enabled: false })).toBe(false)
  expect(isCustomized(null)).toBe(false)
  expect(isCustomized(withEnabled(priced, false))).toBe(true)
})

test('a model with another model at the provider is an alias', () => {
  expect(isAlias({ provider: 'openai', upstreamModel: 'gpt-5.5' })).toBe(true)
  expect(isAlias({ provider: 'openai' })).toBe(false)
})
