import { expect, test } from 'vitest'
import { normalizeMath } from './math-text.ts'

test('converts brackets to dollar signs', () => {
  expect(normalizeMath('So \\(a^2\\) and \\[b = c\\] hold.')).toBe(
    'So $$a^2$$ and \n\n$$\nb = c\n$$\n\n hold.',
  )
})

test('does not change code, also in an unfinished block', () => {
  const block = '```tex\n\\[x\\]\n```'
  expect(normalizeMath(`${block} then \`\\(y\\)\``)).toBe(`${block} then \`\\(y\\)\``)
  expect(normalizeMath('```tex\n\\[x\\]')).toBe('```tex\n\\[x\\]')
})

test('does not change amounts of money', () => {
  expect(normalizeMath('It costs $5 or $6.')).toBe('It costs $5 or $6.')
})
