import { expect, test } from 'vitest'
import { normaliseMath } from './math-text.ts'

test('brackets become dollars', () => {
  expect(normaliseMath('So \\(a^2\\) and \\[b = c\\] hold.')).toBe(
    'So $$a^2$$ and \n\n$$\nb = c\n$$\n\n hold.',
  )
})

test('code is left alone, also while its fence is still open', () => {
  const fence = '```tex\n\\[x\\]\n```'
  expect(normaliseMath(`${fence} then \`\\(y\\)\``)).toBe(`${fence} then \`\\(y\\)\``)
  expect(normaliseMath('```tex\n\\[x\\]')).toBe('```tex\n\\[x\\]')
})

test('money is not maths', () => {
  expect(normaliseMath('It costs $5 or $6.')).toBe('It costs $5 or $6.')
})
