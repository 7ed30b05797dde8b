import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { Feature } from '../../../gateway/http/calls.ts'
import type { CredentialStore } from '../../../gateway/models/providers/credential-store.ts'
import { SecretEntries } from '../../../gateway/models/providers/credentials.ts'
import type { Clock } from '../../../gateway/platform/clock.ts'
import { invalidRequest, serverError } from '../../../gateway/platform/errors.ts'
import type { EventHub } from '../../../gateway/platform/events.ts'
import type { Log } from '../../../gateway/platform/log.ts'
import { SerialQueue } from '../../../gateway/platform/wait.ts'
import type { Settings } from '../../../gateway/settings/settings.ts'
import type { Store } from '../../../gateway/store/store.ts'
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

// One attempt to hand an alert to the receiver.

const CONNECT_MS = 5_000
const TOTAL_MS = 10_000

interface Attempt {
  ok: boolean
  /** Null without an answer. */
  status: number | null
  error: string | null
  /** Whether another attempt may succeed. */
  isRetryable: boolean
}

interface Letter {
  url: string
  secret: string
  /** The id of the delivery. */
  id: string
  body: string
  /** Epoch milliseconds. */
  now: number
}

/** Never throws. Redirects are not followed: what is signed goes to the address that the user has set, or nowhere. */
async function deliver(letter: Letter, pool: UpstreamPool, signal: AbortSignal): Promise<Attempt> {
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

function testBody(id: string, now: number): WebhookBody {
  const text = 'This is a test of the webhook of Tollgate.'
  return { id, type: 'test', createdAt: new Date(now).toISOString(), text, alert: null }
}

/** Null for an event that is no alert. */
async function alertBody(id: string, event: LiveEvent, now: number): Promise<WebhookBody | null> {
  // They are not needed at the start.
  if (!isAlert(event)) return null
  const { formatAlert } = await import('../../../shared/limits/alerts.ts')
  const { title, body } = formatAlert(event)
  const { type, alert } = event
  return { id, type, createdAt: new Date(now).toISOString(), text: `${title}. ${body}`, alert }
}

const SETTING = 'webhook'
/** No id of a provider has a `#`. */
const ENTRY = '#webhook'
/** Until each further attempt. */
const RETRY_MS: readonly number[] = [2_000, 15_000, 60_000, 300_000]
/** Deliveries that wait at most; the oldest is given up for a new one. */
const MAX_PENDING = 20

const StoredWebhook = z.object({ url: z.string().nullable(), lastDelivery: WebhookDelivery.nullable() })
const OFF: Webhook = { url: null, lastDelivery: null }

interface WebhooksDeps {
  store: Store
  clock: Clock
  events: EventHub
  log: Log
  settings: Settings
  credentials: CredentialStore
  installId: string
  pool: UpstreamPool
  retryMs?: readonly number[] | undefined
}

/** Sends alerts to the address that the user has set. */
class Webhooks {
  readonly #deps: WebhooksDeps
  readonly #secrets: SecretEntries
  readonly #retryMs: readonly number[]
  readonly #changes = new SerialQueue()
  readonly #pending = new Set<AbortController>()
  #unsubscribe: (() => void) | null = null
  #webhook: Webhook

  constructor(deps: WebhooksDeps) {
    this.#deps = deps
    this.#secrets = new SecretEntries(deps.credentials, deps.installId)
    this.#retryMs = deps.retryMs ?? RETRY_MS
    const stored = StoredWebhook.safeParse(deps.settings.stored(SETTING))
    this.#webhook = stored.data ?? OFF
    this.#listen()
  }

  view(): Webhook {
    return this.#webhook
  }

  /** Throws 400 for a URL over which others could read along, and 503 when the secret cannot be stored. */
  put({ url, secret }: WebhookPut): Promise<SavedWebhook> {
    refuseUnsafe(new URL(url))
    return this.#changes.run(async () => {
      const isSame = this.#webhook.url === url
      const created = await this.#setSecret(secret)
      await this.#save({ url, lastDelivery: isSame ? this.#webhook.lastDelivery : null })
      if (!isSame) this.#dropPending()
      this.#listen()
      return { ...this.#webhook, secret: created }
    })
  }

  remove(): Promise<Webhook> {
    return this.#changes.run(async () => {
      await this.#save(OFF)
      this.#dropPending()
      this.#listen()
      if (this.#secrets.kind !== 'env') await this.#secrets.change((change) => change.drop(ENTRY))
      return this.#webhook
    })
  }

  /** Sends a test, once. Throws 400 while there is no webhook. */
  async test(): Promise<WebhookDelivery> {
    const { url } = this.#webhook
    if (url === null)
      throw invalidRequest('No webhook is set. Set its URL first.', { code: 'webhook_not_set' })
    const body = testBody(newDeliveryId(), this.#deps.clock.now())
    const attempt = await this.#attempt(url, body, new AbortController().signal)
    return await this.#record(url, body, attempt, { attempts: 1, retryInMs: null })
  }

  /** Gives up what waits for another attempt. */
  close(): void {
    this.#unsubscribe?.()
    this.#dropPending()
  }

  /** Nothing listens to alerts while there is no webhook. */
  #listen(): void {
    const isOn = this.#webhook.url !== null
    if (isOn === (this.#unsubscribe !== null)) return
    this.#unsubscribe?.()
    this.#unsubscribe = isOn
      ? this.#deps.events.subscribe(
          (event) => {
            void this.#send(event)
          },
          { types: ALERT_TYPES },
        )
      : null
  }

  /** Tries until the receiver has taken it, or no attempt is left. */
  async #send(event: LiveEvent): Promise<void> {
    const { url } = this.#webhook
    if (url === null) return
    const control = this.#startPending()
    try {
      const body = await alertBody(newDeliveryId(), event, this.#deps.clock.now())
      if (body === null) return
      for (let attempts = 1; ; attempts++) {
        const attempt = await this.#attempt(url, body, control.signal)
        if (control.signal.aborted) return
        const waitMs = attempt.isRetryable ? (this.#retryMs[attempts - 1] ?? null) : null
        await this.#record(url, body, attempt, { attempts, retryInMs: waitMs })
        if (waitMs === null) return
        await delay(waitMs, undefined, { ref: false, signal: control.signal })
      }
    } catch (err) {
      if (!control.signal.aborted) this.#deps.log.error('An alert could not be delivered', { err })
    } finally {
      this.#pending.delete(control)
    }
  }

  async #attempt(url: string, body: WebhookBody, signal: AbortSignal): Promise<Attempt> {
    const { pool, clock } = this.#deps
    const secret = await this.#secrets.get(ENTRY).catch(() => null)
    if (secret === null) {
      const error =
        'The secret of the webhook cannot be read: the keychain is locked, or the entry was deleted.'
      return { ok: false, status: null, error, isRetryable: true }
    }
    const letter = { url, secret, id: body.id, body: JSON.stringify(body), now: clock.now() }
    return await deliver(letter, pool, signal)
  }

  async #record(
    url: string,
    { id, type }: WebhookBody,
    { ok, status, error }: Attempt,
    { attempts, retryInMs }: { attempts: number; retryInMs: number | null },
  ): Promise<WebhookDelivery> {
    const { clock, log } = this.#deps
    const now = clock.now()
    const retryAt = retryInMs === null ? null : new Date(now + retryInMs).toISOString()
    const delivery = { id, type, at: new Date(now).toISOString(), ok, status, attempts, error, retryAt }
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
    await this.#deps.store.write('putSettings', [{ name: SETTING, value: webhook }])
    this.#webhook = webhook
  }

  #startPending(): AbortController {
    const [oldest] = this.#pending
    if (oldest && this.#pending.size >= MAX_PENDING) {
      oldest.abort()
      this.#pending.delete(oldest)
    }
    const control = new AbortController()
    this.#pending.add(control)
    return control
  }

  #dropPending(): void {
    for (const control of this.#pending) control.abort()
    this.#pending.clear()
  }
}

function refuseUnsafe({ protocol, hostname, username, password }: URL): void {
  const refuse = (why: string) => invalidRequest(`"url" ${why}.`, { param: 'url' })
  if (username !== '' || password !== '') throw refuse('must not contain a user name or a password')
  if (protocol === 'http:' && locateHost(hostname) === 'public')
    throw refuse('must be https, except on this computer and in private networks')
}

function newDeliveryId(): string {
  return `evt_${randomBytes(12).toString('hex')}`
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
