// One attempt to hand an alert to the receiver.
import { errorMessage } from '../../../shared/error-message.ts'
import type { UpstreamPool } from '../../upstream/connection-pool.ts'
import { sendRequest } from '../../upstream/exchange.ts'
import { toUpstreamFailure } from '../../upstream/network-failure.ts'
import { Watchdog } from '../../upstream/watchdog.ts'
import { signatureHeaders } from './sign.ts'

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
    return outcomeOf(reply.status)
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

function outcomeOf(status: number): Attempt {
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
