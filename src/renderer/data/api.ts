import { type CallArgs, type CalledOperationId, describeCall } from '../../shared/api/operation-calls.ts'
import type { ResponseOf } from '../../shared/api/operations.ts'
import { errorFromResponse, toApiError } from '../kit/api-error.ts'
import { isDesktop } from '../kit/is-desktop.ts'

const listeners = new Set<() => void>()

/** Calls `listener` whenever the gateway rejects our key (401). Returns a function that removes it. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Fetches as the signed-in user. Throws ApiError unless the response is successful. */
export async function authorizedFetch(path: string, init: RequestInit): Promise<Response> {
  const headers = { ...authHeaders(), ...Object.fromEntries(new Headers(init.headers)) }
  const response = await fetch(path, { ...init, headers }).catch((thrown: unknown) => {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown
    throw toApiError(thrown)
  })
  if (response.ok) return response
  if (response.status === 401) for (const listener of listeners) listener()
  throw await errorFromResponse(response)
}

/**
 * Calls an operation. Throws ApiError, or the AbortError of its signal. A response is not checked: the gateway that wrote it
 * also served this window, so both have the same schemas, and those are more code than the window's first view.
 */
export async function api<K extends CalledOperationId>(
  id: K,
  ...args: CallArgs<K, { signal?: AbortSignal }>
): Promise<ResponseOf<K>> {
  const signal = args[0]?.signal
  const { method, path, body } = describeCall(id, args[0])
  const response = await authorizedFetch(path, {
    method,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    ...(signal === undefined ? {} : { signal }),
  })
  try {
    return await response.json()
  } catch (thrown) {
    if (signal?.aborted) throw thrown
    throw toApiError(thrown)
  }
}

// The admin key that a browser signed in with. It stays in the tab's session storage.

const STORAGE_KEY = 'tollgate.adminKey'

export function readAdminKey(): string | null {
  return typeof sessionStorage === 'undefined' ? null : sessionStorage.getItem(STORAGE_KEY)
}

export function saveAdminKey(key: string): void {
  sessionStorage.setItem(STORAGE_KEY, key)
}

export function clearAdminKey(): void {
  sessionStorage.removeItem(STORAGE_KEY)
}

/** The authorization header of a call; empty in the desktop window. */
function authHeaders(): Record<string, string> {
  const key = isDesktop ? null : readAdminKey()
  return key === null ? {} : { authorization: `Bearer ${key}` }
}
