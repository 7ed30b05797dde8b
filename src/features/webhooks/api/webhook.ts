import { z } from 'zod'
import { ALERTS } from '../../../shared/api/events.ts'
import { ALERT_TYPES } from '../../../shared/api/terms.ts'

const MAX_URL_LENGTH = 2_000
const MIN_SECRET_LENGTH = 16
const MAX_SECRET_LENGTH = 200

/** Over http only to this computer and to private networks. */
const WebhookUrl = z
  .url({ protocol: /^https?$/, error: 'must be a URL such as https://example.org/hook' })
  .max(MAX_URL_LENGTH)

export const WebhookPut = z
  .strictObject({
    url: WebhookUrl,
    secret: z
      .string()
      .min(MIN_SECRET_LENGTH)
      .max(MAX_SECRET_LENGTH)
      .regex(/^[\x21-\x7e]+$/, { error: 'must be visible ASCII characters' })
      .optional()
      .describe('Signs what is sent. Without it, the present secret stays, or one is created.'),
  })
  .meta({ id: 'WebhookPut' })
export type WebhookPut = z.infer<typeof WebhookPut>

export const WebhookDelivery = z
  .object({
    id: z.string(),
    type: z.enum([...ALERT_TYPES, 'test']),
    at: z.iso.datetime().describe('When the last attempt ended.'),
    ok: z.boolean().describe('Whether the receiver answered with a status from 200 to 299.'),
    status: z.number().nullable().describe('The status of the last answer; null without one.'),
    attempts: z.number(),
    error: z.string().nullable().describe('What went wrong at the last attempt, as a sentence.'),
    retryAt: z.iso.datetime().nullable().describe('When it is tried again; null if it is not.'),
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export const Webhook = z
  .object({
    url: z.string().nullable().describe('Null while no alerts are sent.'),
    lastDelivery: WebhookDelivery.nullable().describe('Null if nothing was sent to this URL yet.'),
  })
  .meta({ id: 'Webhook', description: 'Where alerts are sent.' })
export type Webhook = z.infer<typeof Webhook>

export const SavedWebhook = Webhook.extend({
  secret: z
    .string()
    .nullable()
    .describe('The secret, if it was created by this request. It is returned only here.'),
}).meta({ id: 'SavedWebhook' })
export type SavedWebhook = z.infer<typeof SavedWebhook>

/** The body of a delivery. */
export const WebhookBody = z
  .object({
    id: z.string().describe('The same at each attempt.'),
    type: z.enum([...ALERT_TYPES, 'test']),
    createdAt: z.iso.datetime(),
    text: z.string().describe('What happened, in plain words.'),
    alert: z.union(ALERTS).nullable().describe('As in `GET /v1/events`; null for a test.'),
  })
  .meta({ id: 'WebhookBody' })
export type WebhookBody = z.infer<typeof WebhookBody>
