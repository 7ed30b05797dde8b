import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { Cost, describeCostStatus } from '../../parts/requests/status.tsx'
import { requestRow } from '../../testing/rows.ts'

afterEach(cleanup)

const getText = (part: Partial<RequestRecord>) => {
  const { container } = render(<Cost record={requestRow('a', 1, part)} />)
  return container.textContent
}
const bounds = { costLowUsd: 0, costHighUsd: 0.00893 }

it.each([
  ['six decimals', { costUsd: 0.07 }, '$0.070000'],
  ['a free answer', { costUsd: 0, costStatus: 'free' }, 'Free'],
  ['a refusal, which cost nothing', { costUsd: 0, costStatus: 'free', status: 'refused' }, '–'],
  ['a running request', { costUsd: null, costStatus: 'pending' }, '–'],
  ['a stored answer', { costUsd: 0, costStatus: 'cached', savedUsd: 0.5 }, 'saved $0.50'],
  ['an unknown price', { costUsd: null, costStatus: 'unknown' }, 'Unknown'],
  ['an estimate', { costUsd: 0.0123, costStatus: 'estimated' }, '~$0.012300'],
  [
    'what counts of an unsettled charge',
    { costUsd: 0.0006975, costStatus: 'unsettled', ...bounds },
    '~$0.000698',
  ],
  ['a sample cost of the sandbox', { costUsd: 0.000387, sample: true }, 'Sample $0.000387'],
  ['an estimated sample', { costUsd: 0.000387, costStatus: 'estimated', sample: true }, 'Sample $0.000387'],
] as const)('shows %s', (_, part, text) => {
  expect(getText(part)).toBe(text)
})

it('says of a report that was not believed what it was, and of other estimates that there was none', () => {
  expect(describeCostStatus('estimated', 180)).toBe(
    'The provider reported $180.00. That is more than this request can cost, so the most that it can is charged.',
  )
  expect(describeCostStatus('estimated', null)).toMatch(/reported no usage/)
})
