import { create } from 'zustand'
import { toApiError } from '../kit/api-error.ts'
import { isDesktop } from '../kit/is-desktop.ts'
import { api, clearAdminKey, onSignedOut, readAdminKey, saveAdminKey } from './api.ts'

interface SessionStore {
  state: 'checking' | 'signed-out' | 'signed-in'
  /** Why the last sign-in failed, in a sentence. */
  error: string | null
  pending: boolean
  /** Signs in with the key stored in this tab, if there is one. */
  start(): Promise<void>
  signIn(key: string): Promise<void>
  signOut(): void
}

/** Whether this page may use the gateway. The desktop window always may; a browser signs in with an admin key. */
export const useSession = create<SessionStore>()((set, get) => ({
  state: isDesktop ? 'signed-in' : 'checking',
  error: null,
  pending: false,
  async start() {
    if (isDesktop) return
    const key = readAdminKey()
    if (key === null) set({ state: 'signed-out' })
    else await get().signIn(key)
  },
  async signIn(key) {
    set({ pending: true, error: null })
    saveAdminKey(key)
    try {
      const { scope } = await api('getCallingKey')
      if (scope === 'admin') return set({ state: 'signed-in', pending: false })
      clearAdminKey()
      set({
        state: 'signed-out',
        pending: false,
        error: `This key has the scope “${scope}”. An admin key is needed.`,
      })
    } catch (thrown) {
      const { status, message } = toApiError(thrown)
      if (status !== 0) clearAdminKey()
      const error = status === 401 ? 'The gateway does not know this key, or it was revoked.' : message
      set({ state: 'signed-out', pending: false, error })
    }
  },
  signOut() {
    clearAdminKey()
    set({ state: isDesktop ? 'signed-in' : 'signed-out', error: null })
  },
}))

onSignedOut(() => {
  if (useSession.getState().state === 'signed-in' && !isDesktop) useSession.getState().signOut()
})
