import { expect, test } from 'vitest'
import type { PlanFit } from './plan-fit.ts'
import { describeFit, formatDays } from './texts.ts'

const dated = { source: 'https://example.com', asOf: '2026-11-01' }
const plan = {
  ...{ id: 'a', name: 'Plan A', vendor: 'A', priceUsd: 20, coveredUsd: 90, beyondUsd: 5, totalUsd: 25 },
  ...{ windows: [], ...dated },
}
const fit: PlanFit = {
  ...{ from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z', timeZone: 'UTC' },
  ...{ dataDays: 30, neededDays: 14, apiUsd: 90, importedUsd: 0, unpriced: 0 },
  ...{ best: 'a', plans: [plan], assumptions: [] },
}

test('the answer is a sentence, whichever it is', () => {
  expect(describeFit(fit)).toBe('Plan A would cost least: $25.00 per month, instead of $90.00 by API alone.')
  expect(describeFit({ ...fit, best: 'api' })).toContain('By API alone, your use costs $90.00 per month.')
  expect(describeFit({ ...fit, best: null, dataDays: 3 })).toContain('only 3 days of use')
})

test('days that follow each other are a stretch', () => {
  expect(formatDays([])).toBe('')
  expect(formatDays(['2026-10-30', '2026-10-31', '2026-11-01', '2026-11-09'])).toBe('Oct 30 – Nov 1, Nov 9')
})
