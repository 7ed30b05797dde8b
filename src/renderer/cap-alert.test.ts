import { expect, it } from 'vitest'
import { formatCapAlert } from './cap-alert.ts'

const alert = { keyId: 'key_1', name: 'Editor', percent: 80, spentUsd: 4.01, limitUsd: 5 }

it('says how much is left', () => {
  expect(formatCapAlert(alert)).toBe('Editor has used 80% of its cap: $0.99 left of $5.00.')
  expect(formatCapAlert({ ...alert, keyId: null })).toBe(
    '80% of this month’s limit is used: $0.99 left of $5.00.',
  )
})

it('says when the cap is reached, and never shows a negative rest', () => {
  const over = { ...alert, percent: 100, spentUsd: 5.2 }
  expect(formatCapAlert(over)).toBe('Editor has reached its cap: $0.00 left of $5.00.')
  expect(formatCapAlert({ ...over, keyId: null })).toBe(
    'This month’s spend has reached its limit: $0.00 left of $5.00.',
  )
})
