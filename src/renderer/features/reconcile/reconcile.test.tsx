import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { ExportPreview, Reconciliation } from '../../../shared/api/reconciliations.ts'
import { FakeGateway, modelList } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { modelRow, providerRow } from '../../testing/rows.ts'
import { Reconcile } from './reconcile.tsx'
import { writeReportCsv } from './report.tsx'

afterEach(() => vi.restoreAllMocks())

const facts = {
  ...{
    format: null,
    formatName: 'Columns chosen by you',
    timeZone: 'UTC',
    rows: 2,
    notes: ['1 row was left out.'],
  },
}
const mapping = {
  ...{ each: 'period' as const, time: 'day', model: 'model', id: null, requests: null },
  ...{ input: [], output: [], cost: 'cost', costUnit: 'usd' as const },
}
const preview: ExportPreview = {
  ...facts,
  ...{
    vendor: null,
    columns: ['day', 'model', 'cost', 'region'],
    sample: [['2026-11-20', 'big', '0.5', 'eu']],
  },
  ...{ mapping, problem: null, from: '2026-11-20', to: '2026-11-21' },
}
const side = (costUsd: number) => ({ requests: 2, tokensIn: 10, tokensOut: 5, costUsd })
const report: Reconciliation = {
  ...facts,
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

test('a file is read, its columns are chosen, and it is compared with a provider', async () => {
  const gateway = new FakeGateway()
    .on('listProviders', () => ({ data: [providerRow('openai', { name: 'OpenAI', configured: true })] }))
    .on('listReconciliations', () => ({ data: [] }))
    .on('previewExport', () => preview)
    .on('createReconciliation', () => report)
  const { user } = renderView(<Reconcile id={null} />, { gateway })
  expect(await screen.findByText('No reports yet')).toBeDefined()
  const file = new File(['day,model,cost'], 'costs.csv')
  fireEvent.drop(screen.getByRole('region', { name: 'Usage export' }), { dataTransfer: { files: [file] } })
  const cost = await screen.findByRole('combobox', { name: 'Cost' })
  expect(cost.textContent).toBe('cost')
  expect(screen.getByText('1 row was left out.')).toBeDefined()
  await user.click(cost)
  await user.click(await screen.findByRole('option', { name: 'region' }))
  const read = gateway.listCalls('previewExport').at(-1)
  expect(JSON.parse(read?.query.mapping ?? '')).toEqual({ ...mapping, cost: 'region' })
  expect((await screen.findByRole('combobox', { name: 'Provider' })).textContent).toBe('OpenAI')
  await user.click(await screen.findByRole('button', { name: 'Compare' }))
  await vi.waitFor(() =>
    expect(gateway.listCalls('createReconciliation')[0]?.query).toMatchObject({
      provider: 'openai',
      name: 'costs.csv',
    }),
  )
})

const withModels = (sample: string[][]): ExportPreview => ({
  ...preview,
  columns: ['day', 'model', 'cost', 'tokens'],
  mapping: { ...mapping, input: ['tokens'] },
  sample,
})

function openExport(file: ExportPreview) {
  const gateway = new FakeGateway()
    .on('listProviders', () => ({
      data: [
        providerRow('openai', { name: 'OpenAI', configured: true }),
        providerRow('anthropic', { name: 'Anthropic', configured: true }),
      ],
    }))
    .on('listModels', () =>
      modelList([
        modelRow('gpt-5.5', { provider: 'openai', providers: ['openai'] }),
        modelRow('anthropic/claude-opus-5', { provider: 'anthropic', providers: ['anthropic'] }),
      ]),
    )
    .on('listReconciliations', () => ({ data: [] }))
    .on('previewExport', () => file)
  renderView(<Reconcile id={null} />, { gateway })
  const files = [new File([''], 'costs.csv')]
  fireEvent.drop(screen.getByRole('region', { name: 'Usage export' }), { dataTransfer: { files } })
}

test('the provider is guessed from the models of the export', async () => {
  openExport(withModels([['2026-11-20', 'claude-opus-5-20260805', '0.5', '50000']]))
  await vi.waitFor(() =>
    expect(screen.getByRole('combobox', { name: 'Provider' }).textContent).toBe('Anthropic'),
  )
})

test('without a guess it says that a provider has to be chosen', async () => {
  openExport(withModels([['2026-11-20', 'unknown', '0.5', '50000']]))
  const choice = await screen.findByRole('combobox', { name: 'Provider' })
  expect(choice.getAttribute('aria-describedby')).not.toBeNull()
  expect(screen.getByText('Choose the provider that this export is from.')).toBeDefined()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Compare' }).disabled).toBe(true)
})

test('numbers of the export are written as elsewhere, and other texts as they are', async () => {
  openExport(withModels([['20261120', 'gpt-5.5', '1234.5678', '50000']]))
  const rows = within(await screen.findByRole('region', { name: 'First rows of the file' }))
  const cells = rows.getAllByRole('cell').map(({ textContent, title }) => [textContent, title])
  expect(cells).toEqual([
    ['20261120', '20261120'],
    ['gpt-5.5', 'gpt-5.5'],
    ['50,000', '50000'],
    ['1,234.5678', '1234.5678'],
  ])
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
  const dialog = within(await screen.findByRole('dialog', { name: 'Settle 1 charge' }))
  expect(dialog.getByText(/\$0\.125$/)).toBeDefined()
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
