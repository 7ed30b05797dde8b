import { admin, type Operation } from '../../../shared/api/operations/operation.ts'
import { webhookRoutes } from './terms.ts'
import { SavedWebhook, Webhook, WebhookDelivery, WebhookPut } from './webhook.ts'

export const webhookOperations = {
  getWebhook: {
    ...webhookRoutes.getWebhook,
    tag: 'Settings',
    summary: 'Get the webhook',
    scopes: admin,
    response: Webhook,
  },
  putWebhook: {
    ...webhookRoutes.putWebhook,
    tag: 'Settings',
    summary: 'Set the webhook',
    description: 'From now on, alerts are sent to this URL, signed with the secret.',
    scopes: admin,
    body: WebhookPut,
    response: SavedWebhook,
  },
  deleteWebhook: {
    ...webhookRoutes.deleteWebhook,
    tag: 'Settings',
    summary: 'Remove the webhook',
    description: 'Deletes its secret too.',
    scopes: admin,
    response: Webhook,
  },
  testWebhook: {
    ...webhookRoutes.testWebhook,
    tag: 'Settings',
    summary: 'Test the webhook',
    description: 'Sends a test once, and returns what came of it.',
    scopes: admin,
    response: WebhookDelivery,
  },
} as const satisfies Record<string, Operation>
