// The admin key that a browser signed in with. It stays in the tab's session storage.
import { isDesktop } from '../kit/is-desktop.ts'

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
export function authHeaders(): Record<string, string> {
  const key = isDesktop ? null : readAdminKey()
  return key === null ? {} : { authorization: `Bearer ${key}` }
}
