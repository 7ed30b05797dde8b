import { render } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Uncharged } from './money.tsx'

test('only what is known is shown next to a cost', () => {
  const none = render(<Uncharged sums={{ worthUsd: 0, savedUsd: 0 }} />)
  expect(none.container.textContent).toBe('')
  const all = render(<Uncharged sums={{ worthUsd: 1, savedUsd: 0.5 }} />)
  expect(all.container.textContent).toBe('worth $1.00saved $0.50')
})
