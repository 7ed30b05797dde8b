import { render } from '@testing-library/react'
import { expect, test } from 'vitest'
import { formatEnergy, Uncharged } from './uncharged.tsx'

test('energy has two digits below ten, and its unit', () => {
  expect([0.0042, 0.416, 9.96, 37.4, 1_240].map(formatEnergy)).toEqual([
    '0.0042 Wh',
    '0.42 Wh',
    '10 Wh',
    '37 Wh',
    '1.2 kWh',
  ])
})

test('only what is known is shown next to a cost', () => {
  const none = render(<Uncharged sums={{ worthUsd: 0, savedUsd: 0, energyWh: 0, energyUsd: 0 }} />)
  expect(none.container.textContent).toBe('')
  const all = render(<Uncharged sums={{ worthUsd: 1, savedUsd: 0.5, energyWh: 0.4, energyUsd: 0.0001 }} />)
  expect(all.container.textContent).toBe('worth $1.00saved $0.500.4 Wh · $0.0001')
  expect(render(<Uncharged sums={{ worthUsd: 0, energyWh: 3 }} />).container.textContent).toBe('3 Wh')
})
