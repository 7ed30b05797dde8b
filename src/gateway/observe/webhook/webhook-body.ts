import { formatCapAlert } from '../../../shared/cap-alert.ts'
import type { LiveEvent } from '../../../shared/events.ts'
import { formatGuardAlert } from '../../../shared/guard-alert.ts'
import type { WebhookBody } from '../../../shared/webhook.ts'

export type AlertEvent = Extract<LiveEvent, { type: 'cap-alert' | 'guard-alert' }>

/** `event`: null for a test. */
export function webhookBody(id: string, event: AlertEvent | null, now: number): WebhookBody {
  const createdAt = new Date(now).toISOString()
  if (event === null)
    return { id, type: 'test', createdAt, text: 'This is a test of the webhook of Tollgate.', alert: null }
  const { type, alert } = event
  const { title, body } =
    event.type === 'cap-alert' ? formatCapAlert(event.alert) : formatGuardAlert(event.alert)
  return { id, type, createdAt, text: `${title}. ${body}`, alert }
}
