import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Markdown, normalizeMath } from './markdown.tsx'

test('the columns of a table are aligned as the text says, and short cells stay on one line', async () => {
  const text = [
    '| Model | Price | Notes |',
    '|:---|---:|:---:|',
    '| small | $5.00 | a long text that is broken between its words |',
  ].join('\n')
  render(<Markdown text={text} streaming={false} />)
  const cells = await screen.findAllByRole('cell')
  expect(cells.map(({ style }) => style.textAlign)).toEqual(['left', 'right', 'center'])
  expect(screen.getAllByRole('columnheader').map(({ style }) => style.textAlign)).toEqual([
    'left',
    'right',
    'center',
  ])
  expect(cells.map(({ className }) => className.includes('whitespace-nowrap'))).toEqual([true, true, false])
})

test('tasks have boxes that cannot be changed', async () => {
  render(<Markdown text={'- [ ] open\n- [x] done'} streaming={false} />)
  const boxes = await screen.findAllByRole<HTMLInputElement>('checkbox')
  expect(boxes.map(({ checked, disabled }) => [checked, disabled])).toEqual([
    [false, true],
    [true, true],
  ])
})

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

test.each([
  ['Euler: $e^{i\\pi} + 1 = 0$.', 'Euler: $$e^{i\\pi} + 1 = 0$$.'],
  ['($x_1$, $x_2$)', '($$x_1$$, $$x_2$$)'],
  ['$\\alpha$', '$$\\alpha$$'],
  ['$$a^2$$', '$$a^2$$'],
])('%s is a formula between single dollar signs', (text, converted) => {
  expect(normalizeMath(text)).toBe(converted)
})

test.each([
  'It costs $5 or $6.',
  'From $5.00 for the model x_1 to $6.',
  'Set $HOME/my_files:$PATH and $A_B.',
  'US$5_000 and US$6',
  '\\$a^2\\$',
  'From $a^2 on one line\nto b$ on the next',
])('%j has no formula', (text) => {
  expect(normalizeMath(text)).toBe(text)
})
