// One attempt to hand an alert to the receiver.

import { createHmac } from 'node:crypto'
import type { LiveEvent } from '../../../shared/api/events.ts'
import type { WebhookBody } from '../../../shared/api/webhook.ts'
import { formatCapAlert, formatGuardAlert } from '../../../shared/limits/alerts.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import type { UpstreamPool } from '../../upstream/connection-pool.ts'
import { toUpstreamFailure } from '../../upstream/network-failure.ts'
import { sendRequest } from '../../upstream/upstream-response.ts'
import { Watchdog } from '../../upstream/watchdog.ts'

const CONNECT_MS = 5_000
const TOTAL_MS = 10_000

export interface Attempt {
  ok: boolean
  /** Null without an answer. */
  status: number | null
  error: string | null
  /** Whether another attempt may succeed. */
  isRetryable: boolean
}

export interface Letter {
  url: string
  secret: string
  /** The id of the delivery. */
  id: string
  body: string
  /** Epoch milliseconds. */
  now: number
}

/** Never throws. Redirects are not followed: what is signed goes to the address that the user has set, or nowhere. */
export async function deliver(letter: Letter, pool: UpstreamPool, signal: AbortSignal): Promise<Attempt> {
  const { url, secret, id, body, now } = letter
  const watchdog = new Watchdog(signal, TOTAL_MS)
  try {
    const headers = {
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'tollgate',
      'x-tollgate-delivery': id,
      ...signatureHeaders(secret, body, now),
    }
    const call = { method: 'POST', url, headers, body, connectTimeoutMs: CONNECT_MS } as const
    const reply = await sendRequest(call, pool, watchdog)
    reply.drain()
    return toOutcome(reply.status)
  } catch (error) {
    // The failures of a connection are written for providers.
    const why = errorMessage(toUpstreamFailure(error, watchdog)).replace(/\bprovider\b/g, 'receiver')
    return {
      ok: false,
      status: null,
      error: why,
      isRetryable: true,
    }
  } finally {
    watchdog.dispose()
  }
}

function toOutcome(status: number): Attempt {
  if (status >= 200 && status <= 299) return { ok: true, status, error: null, isRetryable: false }
  const isRedirect = status >= 300 && status <= 399
  return {
    ok: false,
    status,
    error: isRedirect
      ? `The receiver answered with a redirect (${status}), which is not followed. Enter the address that it leads to.`
      : `The receiver answered with the status ${status}.`,
    isRetryable: status === 408 || status === 429 || status >= 500,
  }
}

/** The headers by which a receiver knows the sender: the signature covers the time, so that an old copy can be recognized. */
function signatureHeaders(secret: string, body: string, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return { 'x-tollgate-timestamp': timestamp, 'x-tollgate-signature': `v1=${signature}` }
}

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
