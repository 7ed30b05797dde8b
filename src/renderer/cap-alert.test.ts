import { expect, it } from 'vitest'
import { capAlertWords } from './cap-alert.ts'

const alert = { keyId: 'key_1', name: 'Editor', percent: 80, spentUsd: 4.01, limitUsd: 5 }

it('says how much is left, not a percentage alone', () => {
  expect(capAlertWords(alert)).toBe('Editor has used 80 % of its cap: $0.99 left of $5.00.')
  expect(capAlertWords({ ...alert, keyId: null })).toBe(
    '80 % of this month’s limit is used: $0.99 left of $5.00.',
  )
})

it('says when it is reached, and never that less than nothing is left', () => {
  const over = { ...alert, percent: 100, spentUsd: 5.2 }
  expect(capAlertWords(over)).toBe('Editor has reached its cap: $0.00 left of $5.00.')
  expect(capAlertWords({ ...over, keyId: null })).toBe(
    'This month’s spend has reached its limit: $0.00 left of $5.00.',
  )
})
