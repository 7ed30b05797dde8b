// Owns what is known of the gateway itself: where it listens, and whether this window hears from it.
import { create } from 'zustand'
import type { GatewayInfo } from '../../shared/account.ts'
import type { DesktopState } from '../../shared/desktop.ts'
import { api } from '../api.ts'
import { ApiError } from '../api-error.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'

interface GatewayStore extends Loaded {
  info: GatewayInfo | null
  /** Null in a browser. */
  desktop: DesktopState | null
  link: 'connecting' | 'live' | 'lost'
  refresh(): Promise<void>
  /** Throws ApiError when the gateway does not listen there. */
  setPort(port: number): Promise<void>
  setLaunchAtLogin(on: boolean): Promise<void>
  setLink(link: GatewayStore['link']): void
}

export const useGateway = create<GatewayStore>()((set, get) => ({
  ...notLoaded,
  info: null,
  desktop: null,
  link: 'connecting',
  refresh: () =>
    load<GatewayStore>(set, get, async () => {
      const [info, desktop] = await Promise.all([api('getGateway'), window.desktop?.getState() ?? null])
      return { info, desktop }
    }),
  async setPort(port) {
    const desktop = await window.desktop?.setPort(port).catch(desktopFailure)
    if (!desktop) return
    set({ desktop })
    await get().refresh()
    if (desktop.listenError)
      throw new ApiError({ status: 0, type: 'server_error', message: desktop.listenError })
  },
  async setLaunchAtLogin(on) {
    const desktop = await window.desktop?.setLaunchAtLogin(on).catch(desktopFailure)
    if (desktop) set({ desktop })
  },
  setLink: (link) => set({ link }),
}))

/** What a tool is told as its base URL (it ends in `/v1`); null while nothing listens or nothing is known. */
export function useBaseUrl(): string | null {
  return useGateway(({ info, desktop }) => {
    const origin = desktop ? desktop.baseUrl : (info?.baseUrl ?? null)
    return origin === null ? null : `${origin.replace(/\/$/, '')}/v1`
  })
}

/** The desktop's own words for what went wrong. */
function desktopFailure(thrown: unknown): never {
  const message = thrown instanceof Error ? thrown.message : 'The desktop did not take the change.'
  throw new ApiError({ status: 0, type: 'server_error', message })
}
