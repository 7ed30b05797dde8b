import { SavedWebhook, Webhook, WebhookDelivery, WebhookPut } from '../webhook.ts'
import { admin, type Operation } from './operation.ts'

export const webhookOperations = {
  getWebhook: {
    method: 'GET',
    path: '/v1/webhook',
    tag: 'Settings',
    summary: 'Get the webhook',
    scopes: admin,
    response: Webhook,
  },
  putWebhook: {
    method: 'PUT',
    path: '/v1/webhook',
    tag: 'Settings',
    summary: 'Set the webhook',
    description: 'From now on, alerts are sent to this URL, signed with the secret.',
    scopes: admin,
    body: WebhookPut,
    response: SavedWebhook,
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/webhook',
    tag: 'Settings',
    summary: 'Remove the webhook',
    description: 'Deletes its secret too.',
    scopes: admin,
    response: Webhook,
  },
  testWebhook: {
    method: 'POST',
    path: '/v1/webhook/test',
    tag: 'Settings',
    summary: 'Test the webhook',
    description: 'Sends a test once, and returns what came of it.',
    scopes: admin,
    response: WebhookDelivery,
  },
} as const satisfies Record<string, Operation>
