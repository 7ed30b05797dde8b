import { screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { Estimator } from '../../../renderer/features/estimator/estimator.tsx'
import { FakeGateway } from '../../../renderer/testing/fake-gateway.ts'
import { renderView } from '../../../renderer/testing/render.tsx'
import type { FitPlan, FitWindow, PlanFit } from '../api/plan-fit.ts'

const dated = { source: 'https://example.com/prices', asOf: '2026-11-01' }
const week: FitWindow = {
  ...{ length: 'week', allowanceUsd: 100, basis: 'measured', note: 'Measured by a user.' },
  ...{ peakUsd: 140, fullDays: ['2026-11-03', '2026-11-04'], ...dated },
}
const plan = (name: string, part: Partial<FitPlan>): FitPlan => ({
  ...{ id: name.toLowerCase(), name, vendor: name, priceUsd: 20, coveredUsd: 400, beyondUsd: 40 },
  ...{ totalUsd: 60, windows: [week], ...dated },
  ...part,
})
const FIT: PlanFit = {
  ...{ from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z', timeZone: 'UTC' },
  ...{ dataDays: 30, neededDays: 14, apiUsd: 400, importedUsd: 300, unpriced: 2, best: 'alpha' },
  plans: [
    plan('Alpha', {}),
    plan('Beta', {
      ...{ beyondUsd: null, totalUsd: null },
      windows: [{ ...week, allowanceUsd: null, basis: 'unpublished', fullDays: [], note: 'No amount.' }],
    }),
  ],
  assumptions: ['Windows begin with the first use.'],
}

const open = (answer: (days: string | undefined) => PlanFit, path = '/estimator?view=plans') =>
  renderView(<Estimator />, {
    gateway: new FakeGateway().on('getPlanFit', ({ query }) => answer(query.days)),
    path,
  })

test('the answer has the windows of the best plan with their sources, and all plans below', async () => {
  await open(() => FIT)
  await screen.findByRole('heading', {
    name: /Alpha would cost least, as far as users have measured its windows: \$60.00 per month/,
  })
  const windows = within(screen.getByRole('region', { name: 'Windows of Alpha' }))
  windows.getByText('Full on 2 days: Nov 3 – Nov 4.')
  windows.getByText(/Measured by a user. As of 2026-11-01, https:\/\/example.com\/prices\./)
  screen.getByText('Windows begin with the first use.')
  screen.getByText(
    /\$300.00 of it is from the logs of agents. Calls without a known price, which are in no sum: 2\./,
  )
  await userEvent.click(screen.getByRole('button', { name: 'Beta' }))
  within(screen.getByRole('region', { name: 'Windows of Beta' })).getByText(/^Unknown whether/)
})

test('with little use there is no answer; the days can be chosen', async () => {
  const asked: (string | undefined)[] = []
  await open((days) => {
    asked.push(days)
    return { ...FIT, dataDays: 3, best: null, plans: [] }
  })
  await screen.findByText(/There are only 3 days of use/)
  expect(screen.queryByRole('table')).toBeNull()
  expect(screen.getByRole('link', { name: /Import history/ }).getAttribute('href')).toBe('/settings#history')
  await userEvent.click(screen.getByRole('radio', { name: '90 days' }))
  await screen.findByText(/There are only 3 days of use/)
  expect(asked).toEqual(['30', '90'])
})
