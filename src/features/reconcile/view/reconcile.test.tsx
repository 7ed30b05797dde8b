import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { FakeGateway } from '../../../renderer/testing/fake-gateway.ts'
import { renderView } from '../../../renderer/testing/render.tsx'
import { providerRow } from '../../../renderer/testing/rows.ts'
import type { ReconciledDay, Reconciliation } from '../api/reconciliations.ts'
import { createReportCsv, forgetComparison } from './comparison.ts'
import { Reconcile } from './reconcile.tsx'

afterEach(forgetComparison)

const side = (costUsd: number) => ({ requests: 2, tokensIn: 10, tokensOut: 5, costUsd })
const day = (name: string, status: ReconciledDay['status']): ReconciledDay => ({
  day: name,
  model: 'big',
  status,
  there: side(0.5),
  here: side(0.5),
  differenceUsd: 0,
})
const report: Reconciliation = {
  formatName: 'OpenAI costs',
  rows: 2,
  notes: ['1 row was left out.'],
  provider: 'openai',
  from: '2026-11-20',
  to: '2026-11-21',
  counted: 'request',
  counts: { matched: 1, differing: 1, 'missing-here': 0, 'missing-there': 1 },
  there: side(1),
  here: side(0.75),
  differenceUsd: 0.25,
  open: { requests: 1, changeUsd: -0.125 },
  settled: { requests: 0, changeUsd: 0 },
  days: [day('2026-11-21', 'matched'), day('2026-11-20', 'differing')],
  requests: [
    {
      status: 'missing-there',
      row: null,
      requestId: 'req_9',
      at: '2026-11-20T09:00:00.000Z',
      model: 'small',
      there: null,
      here: side(0.25),
      costStatus: 'exact',
      differenceUsd: -0.25,
    },
  ],
  requestsLeftOut: 0,
}

function renderReconcile() {
  const gateway = new FakeGateway()
    .on('listProviders', () => ({ data: [providerRow('openai', { name: 'OpenAI', configured: true })] }))
    .on('reconcile', ({ query }) =>
      query.settle === 'true'
        ? { ...report, open: { requests: 0, changeUsd: 0 }, settled: report.open }
        : report,
    )
  const { user } = renderView(<Reconcile />, { gateway })
  return { user, calls: () => gateway.listCalls('reconcile').map(({ query }) => query) }
}

const choose = async () =>
  fireEvent.change(await screen.findByLabelText('Usage export'), {
    target: { files: [new File(['date'], 'costs.csv')] },
  })

test('a file is compared with the provider of its vendor, or with one that is chosen', async () => {
  const { user, calls } = renderReconcile()
  await choose()
  await vi.waitFor(() => expect(calls()).toEqual([{}]))
  await user.click(await screen.findByRole('button', { name: 'Compare another file' }))
  await user.click(await screen.findByRole('combobox', { name: 'Provider' }))
  await user.click(await screen.findByRole('option', { name: 'OpenAI' }))
  await choose()
  await vi.waitFor(() => expect(calls()[1]).toEqual({ provider: 'openai' }))
})

test('a report shows only differences on demand, and what settling changes before it does it', async () => {
  const { user, calls } = renderReconcile()
  await choose()
  const lines = () => within(screen.getByRole('region', { name: 'By day and model' })).getAllByRole('row')
  expect(await screen.findByText('21 Nov 2026')).toBeDefined()
  expect(lines()).toHaveLength(4)
  await user.click(screen.getByRole('radio', { name: 'Differences' }))
  expect(lines()).toHaveLength(3)
  await user.click(screen.getByRole('button', { name: 'Settle charges…' }))
  const dialog = within(await screen.findByRole('alertdialog', { name: 'Settle 1 charge' }))
  expect(dialog.getByText(/totals change by .*\$0\.125,/)).toBeDefined()
  expect(calls()).toHaveLength(1)
  await user.click(dialog.getByRole('button', { name: 'Settle 1 charge' }))
  expect(await screen.findByText(/1 charge settled from this export/)).toBeDefined()
  expect(calls()[1]).toEqual({ provider: 'openai', settle: 'true' })
})

test('a saved report has its amounts to the nano-dollar', async () => {
  const rows = (await createReportCsv(report).text()).split('\r\n')
  expect(rows[2]).toBe('2026-11-20,big,differing,,,2,10,5,0.500000000,2,10,5,0.500000000,0.000000000')
  expect(rows[3]).toBe(
    '2026-11-20T09:00:00.000Z,small,missing-there,,req_9,,,,,2,10,5,0.250000000,-0.250000000',
  )
})
