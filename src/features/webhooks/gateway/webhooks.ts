import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { Feature } from '../../../gateway/http/calls.ts'
import type { CredentialStore } from '../../../gateway/models/providers/credential-store.ts'
import { SecretEntries } from '../../../gateway/models/providers/credentials.ts'
import { invalidRequest, serverError } from '../../../gateway/platform/errors.ts'
import { SerialQueue } from '../../../gateway/platform/wait.ts'
import type { CommonServices } from '../../../gateway/settings/settings.ts'
import type { UpstreamPool } from '../../../gateway/upstream/connection-pool.ts'
import { toUpstreamFailure } from '../../../gateway/upstream/network-failure.ts'
import { sendRequest } from '../../../gateway/upstream/upstream-response.ts'
import { Watchdog } from '../../../gateway/upstream/watchdog.ts'
import type { LiveEvent } from '../../../shared/api/events.ts'
import { ALERT_TYPES, isAlert } from '../../../shared/api/terms.ts'
import { locateHost } from '../../../shared/values/hosts.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import {
  type SavedWebhook,
  type Webhook,
  type WebhookBody,
  WebhookDelivery,
  type WebhookPut,
} from '../api/webhook.ts'

const SETTING = 'webhook'
/** No id of a provider has a `#`. */
const ENTRY = '#webhook'
const CONNECT_MS = 5_000
const TOTAL_MS = 10_000
/** Until each further attempt. */
const RETRY_MS: readonly number[] = [2_000, 15_000, 60_000, 300_000]
/** Deliveries that wait at most; the oldest is given up for a new one. */
const MAX_PENDING = 20

const StoredWebhook = z.object({ url: z.string().nullable(), lastDelivery: WebhookDelivery.nullable() })
const OFF: Webhook = { url: null, lastDelivery: null }

interface WebhooksDeps extends CommonServices {
  credentials: CredentialStore
  installId: string
  pool: UpstreamPool
  retryMs?: readonly number[] | undefined
}

export function createWebhooks(deps: WebhooksDeps): Feature {
  const webhooks = new Webhooks(deps)
  return {
    handlers: {
      getWebhook: () => webhooks.view(),
      putWebhook: ({ body }) => webhooks.put(body),
      deleteWebhook: () => webhooks.remove(),
      testWebhook: () => webhooks.test(),
    },
    close: () => webhooks.close(),
  }
}

/** Sends alerts to the address that the user has set. */
class Webhooks {
  readonly #deps: WebhooksDeps
  readonly #secrets: SecretEntries
  readonly #retryMs: readonly number[]
  readonly #changes = new SerialQueue()
  #webhook: Webhook
  /** Ends the listening to alerts, and gives up what waits for another attempt. */
  #stop: () => void = () => {}

  constructor(deps: WebhooksDeps) {
    this.#deps = deps
    this.#secrets = new SecretEntries(deps.credentials, deps.installId)
    this.#retryMs = deps.retryMs ?? RETRY_MS
    this.#webhook = StoredWebhook.safeParse(deps.settings.stored(SETTING)).data ?? OFF
    this.#listen()
  }

  view(): Webhook {
    return this.#webhook
  }

  /** Throws 400 for a URL over which others could read along, and 503 when the secret cannot be stored. */
  put({ url, secret }: WebhookPut): Promise<SavedWebhook> {
    refuseUnsafe(new URL(url))
    return this.#changes.run(async () => {
      const created = await this.#setSecret(secret)
      if (this.#webhook.url !== url) await this.#save({ url, lastDelivery: null })
      return { ...this.#webhook, secret: created }
    })
  }

  remove(): Promise<Webhook> {
    return this.#changes.run(async () => {
      await this.#save(OFF)
      if (this.#secrets.kind !== 'env') await this.#secrets.change((change) => change.drop(ENTRY))
      return this.#webhook
    })
  }

  /** Sends a test, once. Throws 400 while there is no webhook. */
  async test(): Promise<WebhookDelivery> {
    const { url } = this.#webhook
    if (url === null)
      throw invalidRequest('No webhook is set. Set its URL first.', { code: 'webhook_not_set' })
    const text = 'This is a test of the webhook of Tollgate.'
    const body = this.#createBody({ type: 'test', text, alert: null })
    const { isRetryable: _, ...attempt } = await this.#attempt(url, body, new AbortController().signal)
    return await this.#record(url, body, { ...attempt, attempts: 1, retryAt: null })
  }

  close(): void {
    this.#stop()
  }

  /** Nothing listens to alerts while there is no webhook. */
  #listen(): void {
    this.#stop()
    const { url } = this.#webhook
    if (url === null) return
    const pending = new Set<AbortController>()
    const unsubscribe = this.#deps.events.subscribe(
      (event) => {
        const [oldest] = pending
        if (oldest && pending.size >= MAX_PENDING) {
          oldest.abort()
          pending.delete(oldest)
        }
        const control = new AbortController()
        pending.add(control)
        void this.#send(event, url, control.signal).finally(() => pending.delete(control))
      },
      { types: ALERT_TYPES },
    )
    this.#stop = () => {
      unsubscribe()
      for (const control of pending) control.abort()
    }
  }

  /** Tries until the receiver has taken it, or no attempt is left. */
  async #send(event: LiveEvent, url: string, signal: AbortSignal): Promise<void> {
    if (!isAlert(event)) return
    try {
      // It is not needed at the start.
      const { formatAlert } = await import('../../../shared/limits/alerts.ts')
      const { title, body: text } = formatAlert(event)
      const { type, alert } = event
      const body = this.#createBody({ type, text: `${title}. ${text}`, alert })
      for (let attempts = 1; ; attempts++) {
        const { isRetryable, ...attempt } = await this.#attempt(url, body, signal)
        if (signal.aborted) return
        const waitMs = isRetryable ? (this.#retryMs[attempts - 1] ?? null) : null
        const retryAt = waitMs === null ? null : new Date(this.#deps.clock.now() + waitMs).toISOString()
        await this.#record(url, body, { ...attempt, attempts, retryAt })
        if (waitMs === null) return
        await delay(waitMs, undefined, { ref: false, signal })
      }
    } catch (err) {
      if (!signal.aborted) this.#deps.log.error('An alert could not be delivered', { err })
    }
  }

  #createBody(body: Pick<WebhookBody, 'type' | 'text' | 'alert'>): WebhookBody {
    const id = `evt_${randomBytes(12).toString('hex')}`
    return { id, createdAt: new Date(this.#deps.clock.now()).toISOString(), ...body }
  }

  /** Never throws. Redirects are not followed: what is signed goes to the address that the user has set, or nowhere. */
  async #attempt(url: string, delivery: WebhookBody, signal: AbortSignal): Promise<Attempt> {
    const { pool, clock } = this.#deps
    const secret = await this.#secrets.get(ENTRY).catch(() => null)
    if (secret === null) {
      const error =
        'The secret of the webhook cannot be read: the keychain is locked, or the entry was deleted.'
      return { ok: false, status: null, error, isRetryable: true }
    }
    const body = JSON.stringify(delivery)
    const watchdog = new Watchdog(signal, TOTAL_MS)
    try {
      const headers = {
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'tollgate',
        'x-tollgate-delivery': delivery.id,
        ...signatureHeaders(secret, body, clock.now()),
      }
      const call = { method: 'POST', url, headers, body, connectTimeoutMs: CONNECT_MS } as const
      const reply = await sendRequest(call, pool, watchdog)
      reply.drain()
      return toAttempt(reply.status)
    } catch (error) {
      // The failures of a connection are written for providers.
      const why = errorMessage(toUpstreamFailure(error, watchdog)).replace(/\bprovider\b/g, 'receiver')
      return { ok: false, status: null, error: why, isRetryable: true }
    } finally {
      watchdog.dispose()
    }
  }

  async #record(
    url: string,
    { id, type }: WebhookBody,
    outcome: Pick<WebhookDelivery, 'ok' | 'status' | 'error' | 'attempts' | 'retryAt'>,
  ): Promise<WebhookDelivery> {
    const { clock, log } = this.#deps
    const delivery = { id, type, at: new Date(clock.now()).toISOString(), ...outcome }
    const { ok, attempts, error } = outcome
    if (!ok) log.warn(`The webhook was not delivered (attempt ${attempts}). ${error ?? ''}`)
    await this.#changes.run(async () => {
      if (this.#webhook.url !== url) return
      await this.#save({ url, lastDelivery: delivery }).catch((err: unknown) =>
        log.warn('The outcome of a delivery could not be stored', { err }),
      )
    })
    return delivery
  }

  /** Returns the secret if it was created here. */
  async #setSecret(chosenSecret: string | undefined): Promise<string | null> {
    const storedSecret = await this.#secrets.get(ENTRY).catch(() => null)
    if (chosenSecret === undefined && storedSecret !== null) return null
    if (this.#secrets.kind === 'env') {
      throw invalidRequest(
        'Credentials come from the environment: set the secret in TOLLGATE_CREDENTIAL__WEBHOOK and start Tollgate again.',
        { param: 'secret' },
      )
    }
    const secret = chosenSecret ?? `whsec_${randomBytes(32).toString('base64url')}`
    await this.#secrets.change((change) => change.put(ENTRY, secret, storedSecret !== null))
    if ((await this.#secrets.get(ENTRY)) !== secret)
      throw serverError('The secret could not be stored.', 503, 'credentials_unavailable')
    return chosenSecret === undefined ? secret : null
  }

  async #save(webhook: Webhook): Promise<void> {
    const isSame = this.#webhook.url === webhook.url
    await this.#deps.store.write('putSettings', [{ name: SETTING, value: webhook }])
    this.#webhook = webhook
    if (!isSame) this.#listen()
  }
}

type Attempt = Pick<WebhookDelivery, 'ok' | 'status' | 'error'> & {
  /** Whether another attempt may succeed. */
  isRetryable: boolean
}

function toAttempt(status: number): Attempt {
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

function refuseUnsafe({ protocol, hostname, username, password }: URL): void {
  const refuse = (why: string) => invalidRequest(`"url" ${why}.`, { param: 'url' })
  if (username !== '' || password !== '') throw refuse('must not contain a user name or a password')
  if (protocol === 'http:' && locateHost(hostname) === 'public')
    throw refuse('must be https, except on this computer and in private networks')
}
