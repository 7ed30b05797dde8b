import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway } from '../../../renderer/testing/fake-gateway.ts'
import { renderView } from '../../../renderer/testing/render.tsx'
import type { BatchJob } from '../api/batches.ts'
import { SessionBatches } from './session-batches.tsx'

const job = (id: string, more: Partial<BatchJob> = {}): BatchJob => ({
  ...{ id, keyId: 'key_1', keyName: 'SDK', provider: 'openai', models: ['gpt-5-mini'] },
  ...{ endpoint: '/v1/responses', sessionId: 'ses_1', createdAt: '2026-11-29T09:00:00.000Z', endedAt: null },
  ...{
    status: 'in_progress',
    settled: false,
    keyPaused: true,
    lines: 50_000,
    succeeded: 0,
    failed: 0,
    done: 0,
  },
  ...{ costUsd: 0, reservedUsd: 4.1, problem: null },
  ...more,
})

test('each batch is a node with its progress, its cost and a link to its requests', async () => {
  const data = [job('batch_a', { done: 1_200, failed: 3, problem: 'The provider refused the connection.' })]
  const gateway = new FakeGateway().on('listBatchJobs', () => ({ data, hasMore: false }))
  renderView(<SessionBatches session="ses_1" />, { gateway })
  const section = within(await screen.findByRole('region', { name: 'Batches' }))
  const link = section.getByRole('link', { name: '50,000 requests, gpt-5-mini' })
  expect(link.getAttribute('href')).toBe('/requests?session=ses_1&batch=batch_a')
  const [node] = section.getAllByRole('listitem')
  expect(node?.textContent).toContain(
    'in progress · 1,200 of 50,000 done · 3 failed · $4.10 reserved · continues although its key is paused',
  )
  expect(node?.textContent).toContain('The provider refused the connection.')
})

test('a running batch is canceled after a question, and one that has ended cannot be', async () => {
  const data = [job('batch_a'), job('batch_b', { status: 'completed', settled: true })]
  const gateway = new FakeGateway()
    .on('listBatchJobs', () => ({ data, hasMore: false }))
    .on('cancelBatchJob', () => job('batch_a', { status: 'cancelling' }))
  const { user } = renderView(<SessionBatches session="ses_1" />, { gateway })
  await user.click(await screen.findByRole('button', { name: 'Cancel' }))
  await user.click(screen.getByRole('button', { name: 'Cancel batch' }))
  await expect.poll(() => gateway.listCalls('cancelBatchJob')).toMatchObject([{ id: 'batch_a' }])
})

test('nothing is shown for a session without batches', async () => {
  const gateway = new FakeGateway().on('listBatchJobs', () => ({ data: [], hasMore: false }))
  const { container } = renderView(<SessionBatches session="ses_1" />, { gateway })
  await expect.poll(() => gateway.listCalls('listBatchJobs').length).toBe(1)
  expect(container.textContent).toBe('')
})
