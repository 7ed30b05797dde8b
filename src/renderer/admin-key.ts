// Owns the admin key a browser signed in with: in this tab's session only, never written to disk by us.
// Knows nothing of whether the gateway accepts it.

const SLOT = 'tollgate.adminKey'

/** True in the desktop window, where the gateway answers as the owner and no key is needed. */
export const isDesktop = typeof window !== 'undefined' && window.desktop !== undefined

export function readAdminKey(): string | null {
  return typeof sessionStorage === 'undefined' ? null : sessionStorage.getItem(SLOT)
}

export function keepAdminKey(key: string): void {
  sessionStorage.setItem(SLOT, key)
}

export function forgetAdminKey(): void {
  sessionStorage.removeItem(SLOT)
}

/** The header that signs a call in; empty in the desktop window. */
export function authHeaders(): Record<string, string> {
  const key = isDesktop ? null : readAdminKey()
  return key === null ? {} : { authorization: `Bearer ${key}` }
}
