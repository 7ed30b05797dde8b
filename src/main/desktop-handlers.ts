import { shell } from 'electron'
import { desktopCalls, EXTERNAL_ORIGINS } from '../shared/desktop.ts'
import type { GatewayPort } from './gateway-port.ts'
import { type DesktopHandlers, handler } from './ipc.ts'
import { setLaunchAtLogin } from './login.ts'
import { relaunch } from './relaunch.ts'
import { revealDataDir, revealLog } from './reveal.ts'

/** What the main process does for each call of `window.desktop`. */
export function createDesktopHandlers(dataDir: string, port: GatewayPort): DesktopHandlers {
  return {
    getState: handler(desktopCalls.getState, port.state),
    setPort: handler(desktopCalls.setPort, port.set),
    setLaunchAtLogin: handler(desktopCalls.setLaunchAtLogin, async (enabled) => {
      await setLaunchAtLogin(enabled)
      return port.state()
    }),
    openExternal: handler(desktopCalls.openExternal, async (url) => {
      const { origin } = new URL(url)
      if (!EXTERNAL_ORIGINS.some((allowed) => allowed === origin)) {
        throw new Error(`Tollgate does not open pages of ${origin}.`)
      }
      await shell.openExternal(url)
      return null
    }),
    relaunch: handler(desktopCalls.relaunch, () => {
      relaunch()
      return null
    }),
    revealDataDir: handler(desktopCalls.revealDataDir, async () => {
      await revealDataDir(dataDir)
      return null
    }),
    revealLog: handler(desktopCalls.revealLog, async () => {
      await revealLog(dataDir)
      return null
    }),
  }
}
