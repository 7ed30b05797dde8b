import { expect, test } from 'vitest'
import { normaliseMath } from './math-text.ts'

test('converts brackets to dollar signs', () => {
  expect(normaliseMath('So \\(a^2\\) and \\[b = c\\] hold.')).toBe(
    'So $$a^2$$ and \n\n$$\nb = c\n$$\n\n hold.',
  )
})

test('does not change code, also in an unfinished block', () => {
  const block = '```tex\n\\[x\\]\n```'
  expect(normaliseMath(`${block} then \`\\(y\\)\``)).toBe(`${block} then \`\\(y\\)\``)
  expect(normaliseMath('```tex\n\\[x\\]')).toBe('```tex\n\\[x\\]')
})

test('does not change amounts of money', () => {
  expect(normaliseMath('It costs $5 or $6.')).toBe('It costs $5 or $6.')
})
