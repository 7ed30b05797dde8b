import { screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { FakeGateway } from '../../../renderer/testing/fake-gateway.ts'
import { renderView } from '../../../renderer/testing/render.tsx'
import type { Receipt, SumReceipt } from '../api/receipts.ts'
import { ReceiptView } from './receipt.tsx'

const receipt: Receipt = {
  format: 'tollgate-receipt',
  issuedAt: '2026-11-22T12:00:00.000Z',
  request: {
    ...{ id: 'req_1', createdAt: '2026-11-21T12:00:00.000Z', endpoint: 'POST /v1/messages', stream: true },
    ...{ status: 'succeeded', httpStatus: 200, errorType: null, errorCode: null, count: 1 },
    ...{ requestedModel: 'claude', model: 'claude-opus-5', provider: 'anthropic', names: null },
    changes: [{ rule: null, field: 'model', asked: 'claude', sent: 'claude-opus-5' }],
  },
  timings: { queueMs: 1, firstByteMs: 300, totalMs: 1500 },
  attempts: [{ provider: 'anthropic', model: 'claude-opus-5', httpStatus: 200, ms: 1490, failed: false }],
  cost: {
    ...{ status: 'exact', nano: 21_000_000, usd: 0.021, lowNano: null, highNano: null },
    lines: [
      { billed: 'input', count: 1_000, perMillionNano: 5_000_000_000, nano: '5000000' },
      { billed: 'output', count: 640, perMillionNano: 25_000_000_000, nano: '16000000' },
    ],
    ...{ reportedNano: null, discount: null, otherNano: null, roundingNano: null, confirmation: null },
  },
  price: {
    origin: { source: 'database', match: 'exact', asOf: '2026-11-01' },
    ...{ tier: null, plan: 'pay-as-you-go', discountPercent: 0, reportedByProvider: false },
  },
}

test('a receipt has its lines, and names only when they are switched on', async () => {
  const gateway = new FakeGateway().on('getReceipt', ({ query }) =>
    query.names === 'true'
      ? {
          ...receipt,
          request: { ...receipt.request, names: { key: 'Agents', client: 'Claude Code', tag: null } },
        }
      : receipt,
  )
  const { user } = renderView(<ReceiptView id="req_1" />, { gateway })
  const paper = within(await screen.findByRole('article', { name: 'Receipt' }))
  const rows = within(paper.getByRole('table', { name: 'Cost' })).getAllByRole('row')
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    'Input1,000 tokens × $5.00 per million$0.005',
    'Output640 tokens × $25.00 per million$0.016',
    'Total$0.021',
  ])
  expect(paper.getByText('model: claude → claude-opus-5')).toBeDefined()
  expect(paper.queryByText('Agents')).toBeNull()
  await user.click(screen.getByRole('switch', { name: 'Names of key and client' }))
  expect(await paper.findByText('Agents')).toBeDefined()
  const print = vi.spyOn(window, 'print').mockImplementation(() => undefined)
  await user.click(screen.getByRole('button', { name: 'Print' }))
  expect(print).toHaveBeenCalledOnce()
})

test('a request that a plan paid for shows what it is worth', async () => {
  const cost = { ...receipt.cost, status: 'plan', nano: 0, usd: 0, worthNano: 1_320_000_000 } as const
  const gateway = new FakeGateway().on('getReceipt', () => ({ ...receipt, cost }))
  renderView(<ReceiptView id="req_2" />, { gateway })
  expect((await screen.findByText('Worth')).nextSibling?.textContent).toBe('$1.32')
})

const sum: SumReceipt = {
  format: 'tollgate-sum-receipt',
  issuedAt: receipt.issuedAt,
  of: { kind: 'month', month: '2026-11', timeZone: 'UTC', over: false },
  lines: [
    {
      model: 'claude-opus-5',
      provider: 'anthropic',
      requests: 2,
      tokensIn: 900,
      tokensOut: 40,
      nano: 21_000_000,
    },
    { model: 'gpt-5', provider: 'openai', requests: 1, tokensIn: 100, tokensOut: 2, nano: 500_000 },
  ],
  total: { requests: 3, nano: 21_500_000, usd: 0.0215, unpriced: 1, unsettled: 0 },
}

test('the receipt of a month has a line for each model, and says what is not certain', async () => {
  const gateway = new FakeGateway().on('getSumReceipt', ({ query }) => {
    expect(query).toMatchObject({ month: '2026-11' })
    return sum
  })
  renderView(<ReceiptView id="2026-11" />, { gateway })
  const paper = within(await screen.findByRole('article', { name: 'Receipt of a month' }))
  const rows = within(paper.getByRole('table', { name: 'Cost' })).getAllByRole('row')
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    'claude-opus-5anthropic, 2 requests, 900 tokens in, 40 out$0.0210',
    'gpt-5openai, 1 request, 100 tokens in, 2 out$0.0005',
    'Total$0.0215',
  ])
  expect(paper.getByText('November 2026')).toBeDefined()
  expect(paper.getByText('The month was not over when this was issued.')).toBeDefined()
  expect(paper.getByText('1 of them have no price, and cost nothing here.')).toBeDefined()
  expect(screen.queryByRole('switch')).toBeNull()
})
