import { expect, test } from 'vitest'
import { createMatcher, matchesPattern } from './model-pattern.ts'

test.each([
  ['gpt-5', 'gpt-5', true],
  ['gpt-5', 'gpt-5-mini', false],
  ['gpt-5*', 'gpt-5', true],
  ['*opus*', 'claude-opus-4-1', true],
  ['*-mini', 'gpt-5-mini-2026', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'acb', false],
  ['gpt.5', 'gpt-5', false],
  ['*', '', true],
])('the pattern %s and %s: %s', (pattern, text, expected) => {
  expect(matchesPattern(pattern, text)).toBe(expected)
})

test('a model is matched by its id or by its provider and id', () => {
  const matches = createMatcher(['small', 'mine/*'])
  expect(matches('small', 'any')).toBe(true)
  expect(matches('large', 'mine')).toBe(true)
  expect(matches('large', 'any')).toBe(false)
  // Ids may have slashes themselves.
  expect(createMatcher(['mine/*'])('mine/large', 'any')).toBe(true)
})

test('a model whose provider is not known is matched as if each had served it', () => {
  const matches = (pattern: string) => createMatcher([pattern])('small', '')
  for (const pattern of ['small', 'mine/small', 'mine/*', 'mi*', '*/small', '*all'])
    expect(matches(pattern), pattern).toBe(true)
  for (const pattern of ['large', 'mine/large', 'mine/x*', 'mine'])
    expect(matches(pattern), pattern).toBe(false)
})

// Trying each way to match the stars would never end.
test('a pattern of many stars is matched', () => {
  expect(matchesPattern(`${'a*'.repeat(99)}b`, 'a'.repeat(500))).toBe(false)
})
