// Calls of the file and batch endpoints of a provider, which no model answers.
import { Readable } from 'node:stream'
import { UpstreamFailure } from '../../../gateway/formats/chat/failure.ts'
import { codecFor } from '../../../gateway/formats/codecs.ts'
import { isObject, type JsonObject, parseJson } from '../../../gateway/formats/json/json.ts'
import type { ProviderRegistry } from '../../../gateway/models/providers/registry.ts'
import { GatewayError } from '../../../gateway/platform/errors.ts'
import { CREDENTIALS_UNAVAILABLE } from '../../../gateway/upstream/client-error.ts'
import type { UpstreamPool } from '../../../gateway/upstream/connection-pool.ts'
import { toUpstreamFailure } from '../../../gateway/upstream/network-failure.ts'
import { listSecrets, redactFailure } from '../../../gateway/upstream/redact.ts'
import { renewToken, requestHeaders } from '../../../gateway/upstream/request-headers.ts'
import {
  readStatusFailure,
  readText,
  sendRequest,
  type UpstreamResponse,
} from '../../../gateway/upstream/upstream-response.ts'
import { Watchdog } from '../../../gateway/upstream/watchdog.ts'

export interface ProviderDeps {
  providers: ProviderRegistry
  pool: UpstreamPool
}

/** A provider, and which of its credentials is used: a file belongs to the account of one. */
export interface Place {
  provider: string
  credential: number
}

export interface ProviderRequest {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below the base URL. */
  path: string
  headers?: Record<string, string>
  /** Sent in chunks as they come. What it throws ends the call, and is thrown. */
  body?: string | AsyncIterable<Uint8Array>
  signal: AbortSignal
}

/** A large file takes its time. */
const MAX_CALL_MS = 3_600_000
/** A description of a file or a batch. */
const MAX_JSON_BYTES = 4 * 1024 * 1024

/** The JSON object that the provider answers. Throws UpstreamFailure, without secrets, and what the body throws. */
export async function callProvider(
  place: Place,
  request: ProviderRequest,
  deps: ProviderDeps,
): Promise<JsonObject> {
  return await withResponse(place, request, deps, async (response, watchdog) => {
    const json = parseJson(await readText(response, MAX_JSON_BYTES, watchdog))
    if (isObject(json)) return json
    throw new UpstreamFailure({ kind: 'malformed', message: 'The answer is not a JSON object.' })
  })
}

/** The bytes that the provider answers, in pieces. Throws as `callProvider` does, at the first piece or later. */
export async function* readFromProvider(
  place: Place,
  request: ProviderRequest,
  deps: ProviderDeps,
): AsyncGenerator<Uint8Array> {
  const open = await openResponse(place, request, deps)
  const { response, watchdog } = open
  try {
    for (;;) {
      // The reader may be slow: only silence while it waits is the provider's.
      watchdog.resume()
      const part = await response.read()
      watchdog.pause()
      if (part === null) return
      watchdog.progress()
      yield part
    }
  } catch (error) {
    throw open.toFailure(error)
  } finally {
    open.close()
  }
}

async function withResponse<T>(
  place: Place,
  request: ProviderRequest,
  deps: ProviderDeps,
  read: (response: UpstreamResponse, watchdog: Watchdog) => Promise<T>,
): Promise<T> {
  const open = await openResponse(place, request, deps)
  try {
    return await read(open.response, open.watchdog)
  } catch (error) {
    throw open.toFailure(error)
  } finally {
    open.close()
  }
}

interface OpenResponse {
  response: UpstreamResponse
  watchdog: Watchdog
  toFailure(error: unknown): unknown
  close(): void
}

/** The beginning of an answer with success. */
async function openResponse(
  { provider, credential: index }: Place,
  { method, path, headers = {}, body = '', signal }: ProviderRequest,
  { providers, pool }: ProviderDeps,
): Promise<OpenResponse> {
  const endpoint = providers.endpoint(provider)
  const credential = await readCredential(provider, index, providers, endpoint.needsCredential)
  const codec = codecFor(endpoint)
  const watchdog = new Watchdog(signal, MAX_CALL_MS, Infinity, pool.clock)
  let response: UpstreamResponse | null = null
  let isSent = true
  let bodyError: unknown
  const toFailure = (error: unknown): unknown => {
    if (error instanceof GatewayError) return error
    return redactFailure(toUpstreamFailure(error, watchdog), listSecrets(endpoint, credential), isSent)
  }
  const close = () => {
    watchdog.dispose()
    response?.destroy()
  }
  try {
    const { connectTimeoutMs, network, firstByteTimeoutMs, stallTimeoutMs } = endpoint
    const url = endpoint.baseUrl + path
    const text = typeof body === 'string' ? body : null
    const unauthorized = { method, url, headers, body: text === '' ? null : text, network }
    const source = { codec, endpoint, credential, pool, watchdog }
    isSent = false
    const authorized = await requestHeaders(unauthorized, source)
    isSent = true
    const expectAnswer = () => watchdog.expect('nothing', firstByteTimeoutMs)
    const stream =
      typeof body === 'string' ? null : Readable.from(sendAll(body, expectAnswer), { highWaterMark: 1 })
    if (!stream) expectAnswer()
    const send = (signed: Record<string, string>) =>
      sendRequest({ ...unauthorized, connectTimeoutMs, headers: signed, stream }, pool, watchdog)
    response = await send(authorized)
    if (response.status === 401)
      response = await renewToken(response, unauthorized, authorized, source, stream ? null : send)
    if (!response.isSuccess) throw await readStatusFailure(response, codec, watchdog, pool.clock)
    watchdog.expect('no more of its answer', stallTimeoutMs)
    return { response, watchdog, toFailure, close }
  } catch (error) {
    close()
    throw toFailure(bodyError ?? error)
  }

  async function* sendAll(chunks: AsyncIterable<Uint8Array>, onEnd: () => void): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks
    } catch (error) {
      bodyError = error
      throw error
    }
    onEnd()
  }
}

/** Throws UpstreamFailure. */
async function readCredential(
  provider: string,
  index: number,
  providers: ProviderRegistry,
  isNeeded: boolean,
): Promise<string | null> {
  const failure = (message: string, code: string | null = null) =>
    new UpstreamFailure({ kind: 'credential', sent: false, message, code })
  let credential: string | null
  try {
    credential = await providers.credential(provider, index)
  } catch {
    throw failure(
      `The credential of ${provider} cannot be read now: the credential store is locked or missing.`,
      CREDENTIALS_UNAVAILABLE,
    )
  }
  if (credential === null && isNeeded) throw failure(`No credential is set for the provider ${provider}.`)
  return credential
}

/** Whether the provider has certainly not done what was asked. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof GatewayError) return true
  if (!(error instanceof UpstreamFailure)) return false
  if (!error.sent || error.kind === 'credential') return true
  return error.kind === 'status' && error.status !== null && error.status < 500 && error.status !== 408
}
