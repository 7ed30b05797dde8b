import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakeGateway } from '../../../renderer/testing/fake-gateway.ts'
import { renderView } from '../../../renderer/testing/render.tsx'
import type { Webhook } from '../api/webhook.ts'
import { WebhookRow } from './webhook-row.tsx'

test('a webhook is set, its secret shown once, and a failed test says why', async () => {
  let webhook: Webhook = { url: null, lastDelivery: null }
  const gateway = new FakeGateway()
    .on('getWebhook', () => webhook)
    .on('putWebhook', ({ body }) => {
      webhook = { ...webhook, ...(body as { url: string }) }
      return { ...webhook, secret: 'whsec_new' }
    })
    .on('testWebhook', () => {
      const lastDelivery = {
        id: 'evt_1',
        type: 'test' as const,
        at: new Date().toISOString(),
        ok: false,
        status: 404,
        attempts: 1,
        error: 'The receiver answered with the status 404.',
        retryAt: null,
      }
      webhook = { ...webhook, lastDelivery }
      return lastDelivery
    })
    .on('deleteWebhook', () => {
      webhook = { url: null, lastDelivery: null }
      return webhook
    })
  const { user } = renderView(<WebhookRow />, { gateway })
  await user.type(await screen.findByLabelText('Webhook URL'), 'http://192.168.1.5/hook')
  expect(screen.getByText(/others on the same network can read/)).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByLabelText('Webhook secret')).toHaveProperty('value', 'whsec_new')
  await user.click(await screen.findByRole('button', { name: 'Send test' }))
  expect(await screen.findByText(/The receiver answered with the status 404/)).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Remove' }))
  await waitFor(() => expect(screen.getByLabelText('Webhook URL')).toHaveProperty('value', ''))
  expect(screen.queryByLabelText('Webhook secret')).toBeNull()
})
