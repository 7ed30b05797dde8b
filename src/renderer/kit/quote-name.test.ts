import { expect, test } from 'vitest'
import { isolate, quoteName } from './format.ts'

test('a name from right to left does not move what is around it; others are as they were typed', () => {
  expect(quoteName('Editor 2')).toBe('“Editor 2”')
  expect(quoteName('עורך 2')).toBe('“\u2068עורך 2\u2069”')
  expect(isolate('محرر')).toBe('\u2068محرر\u2069')
})
