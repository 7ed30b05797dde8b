import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { FakeGateway } from '../../../renderer/testing/fake-gateway.ts'
import { renderView } from '../../../renderer/testing/render.tsx'
import { providerRow } from '../../../renderer/testing/rows.ts'
import type { Reconciliation } from '../api/reconciliations.ts'
import { Reconcile } from './reconcile.tsx'
import { writeReportCsv } from './report.tsx'

afterEach(() => vi.restoreAllMocks())

const side = (costUsd: number) => ({ requests: 2, tokensIn: 10, tokensOut: 5, costUsd })
const report: Reconciliation = {
  ...{ formatName: 'OpenAI costs', rows: 2, notes: ['1 row was left out.'] },
  ...{ id: 'rec_1', createdAt: '2026-11-22T10:00:00.000Z', provider: 'openai', name: 'costs.csv' },
  ...{ from: '2026-11-20', to: '2026-11-21', each: 'request' },
  counts: { matched: 1, differing: 1, 'missing-here': 0, 'missing-there': 1 },
  ...{ there: side(1), here: side(0.75), differenceUsd: 0.25 },
  ...{ open: { requests: 1, changeUsd: -0.125 }, settled: { requests: 0, changeUsd: 0 } },
  lines: [
    {
      day: '2026-11-21',
      model: 'big',
      status: 'matched',
      there: side(0.5),
      here: side(0.5),
      differenceUsd: 0,
    },
    {
      day: '2026-11-20',
      model: '=small',
      status: 'differing',
      there: side(0.5),
      here: side(0.25),
      differenceUsd: -0.25,
    },
  ],
  items: [
    {
      ...{
        status: 'missing-there',
        row: null,
        requestId: 'req_9',
        at: '2026-11-20T09:00:00.000Z',
        model: 'small',
      },
      ...{ there: null, here: side(0.25), costStatus: 'exact', differenceUsd: -0.25 },
    },
  ],
  itemsLeftOut: 0,
  settleable: [{ requestId: 'req_1', beforeUsd: 0.25, afterUsd: 0.125, state: 'open' }],
}

const drop = () =>
  fireEvent.drop(screen.getByRole('region', { name: 'Usage export' }), {
    dataTransfer: { files: [new File(['date'], 'costs.csv')] },
  })

test('a file is compared with the provider of its vendor, or with one that is chosen', async () => {
  const gateway = new FakeGateway()
    .on('listProviders', () => ({ data: [providerRow('openai', { name: 'OpenAI', configured: true })] }))
    .on('listReconciliations', () => ({ data: [] }))
    .on('createReconciliation', () => report)
  const { user } = renderView(<Reconcile id={null} />, { gateway })
  expect(await screen.findByText('No reports yet')).toBeDefined()
  const compared = () => gateway.listCalls('createReconciliation').map(({ query }) => query)
  drop()
  await vi.waitFor(() => expect(compared()).toEqual([{ name: 'costs.csv' }]))
  await user.click(screen.getByRole('combobox', { name: 'Provider' }))
  await user.click(await screen.findByRole('option', { name: 'OpenAI' }))
  drop()
  await vi.waitFor(() => expect(compared()[1]).toEqual({ provider: 'openai', name: 'costs.csv' }))
})

test('a report is filtered, says what settling changes before it does it, and is saved', async () => {
  const settled: Reconciliation = {
    ...report,
    ...{ open: { requests: 0, changeUsd: 0 }, settled: { requests: 1, changeUsd: -0.125 } },
    settleable: [{ requestId: 'req_1', beforeUsd: 0.25, afterUsd: 0.125, state: 'settled' }],
  }
  const gateway = new FakeGateway()
    .on('getReconciliation', () => report)
    .on('settleReconciliation', () => settled)
    .on('listReconciliations', () => ({ data: [] }))
  const { user } = renderView(<Reconcile id="rec_1" />, { gateway })
  const lines = () => within(screen.getByRole('region', { name: 'By day and model' })).getAllByRole('row')
  expect(await screen.findByText('21 Nov 2026')).toBeDefined()
  expect(lines()).toHaveLength(4)
  await user.click(screen.getByRole('radio', { name: 'Differs' }))
  expect(lines()).toHaveLength(3)
  await user.click(screen.getByRole('button', { name: 'Settle charges…' }))
  const dialog = within(await screen.findByRole('alertdialog', { name: 'Settle 1 charge' }))
  expect(dialog.getByText(/totals change by .*\$0\.125,/)).toBeDefined()
  expect(gateway.listCalls('settleReconciliation')).toEqual([])
  await user.click(dialog.getByRole('button', { name: 'Settle 1 charge' }))
  expect(await screen.findByText(/1 charge settled from this export/)).toBeDefined()
})

test('a saved report has no formula of a spreadsheet, and its amounts are numbers', () => {
  const rows = writeReportCsv(report).split('\r\n')
  expect(rows[3]).toBe(
    "day,2026-11-20,,'=small,differing,,,2,10,5,0.500000000,2,10,5,0.250000000,-0.250000000",
  )
  expect(rows[4]).toContain('request,,2026-11-20T09:00:00.000Z,small,missing-there,,req_9,,,,,2,10,5,')
})
