import { expect, test } from 'vitest'
import { isAlias, isCustomized, setModelEnabled } from './model-form.ts'

const priced = { pricing: { inputPerMillion: 1, outputPerMillion: 2 }, fallbacks: ['other'] }

test('disabling a model and enabling it again keeps the rest of its override', () => {
  const disabled = setModelEnabled(priced, false)
  expect(disabled).toEqual({ ...priced, enabled: false })
  expect(setModelEnabled(disabled, true)).toEqual(priced)
})

test('a model without other settings has no override once it is enabled again', () => {
  expect(setModelEnabled(null, false)).toEqual({ enabled: false })
  expect(setModelEnabled({ enabled: false }, true)).toBeNull()
})

test('a model that is only disabled is not customized', () => {
  expect(isCustomized({ enabled: false })).toBe(false)
  expect(isCustomized(null)).toBe(false)
  expect(isCustomized(setModelEnabled(priced, false))).toBe(true)
})

test('a model with another model at the provider is an alias', () => {
  expect(isAlias({ provider: 'openai', upstreamModel: 'gpt-5.5' })).toBe(true)
  expect(isAlias({ provider: 'openai' })).toBe(false)
})
