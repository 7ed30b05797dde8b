import { admin, describeOperations } from '../../../shared/api/operations/operation.ts'
import { webhookRoutes } from './terms.ts'
import { SavedWebhook, Webhook, WebhookDelivery, WebhookPut } from './webhook.ts'

export const webhookOperations = describeOperations(webhookRoutes, { tag: 'Settings', scopes: admin })({
  getWebhook: {
    summary: 'Get the webhook',
    response: Webhook,
  },
  putWebhook: {
    summary: 'Set the webhook',
    description: 'From now on, alerts are sent to this URL, signed with the secret.',
    body: WebhookPut,
    response: SavedWebhook,
  },
  deleteWebhook: {
    summary: 'Remove the webhook',
    description: 'Deletes its secret too.',
    response: Webhook,
  },
  testWebhook: {
    summary: 'Test the webhook',
    description: 'Sends a test once, and returns what came of it.',
    response: WebhookDelivery,
  },
})
