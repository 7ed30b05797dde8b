import { describe, expect, test } from 'vitest'
import { windowPhrases } from './window-prose.ts'

describe.each(windowPhrases)('“$example”', ({ pattern, example }) => {
  test('is found', () => expect(example).toMatch(pattern))
})
