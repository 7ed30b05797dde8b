import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Markdown } from './markdown.tsx'

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
