import { shell } from 'electron'
import { markCrashesSeen, readCrashes, removeCrash } from '../host/crash-reports.ts'
import { vendorOrigins } from '../host/provider-secrets.ts'
import type { Host } from '../host/start.ts'
import { desktopCalls } from '../shared/desktop/desktop.ts'
import type { ToolSetups } from '../tool-setup/tool-setups.ts'
import type { GatewayPort } from './gateway-port.ts'
import { type DesktopHandlers, handler } from './ipc.ts'
import { setLaunchAtLogin } from './login.ts'
import { relaunch } from './relaunch.ts'
import { revealDataDir, revealLog } from './reveal.ts'
import type { DesktopUpdates } from './updates/desktop-updates.ts'

/** The origins of pages that the window may open in the user's browser. */
const EXTERNAL_ORIGINS = new Set([
  ...vendorOrigins,
  'https://github.com',
  'https://lmstudio.ai',
  'https://ollama.com',
])

/** The handlers of the main process for each call of `window.desktop`. */
export function createDesktopHandlers(
  host: Host,
  port: GatewayPort,
  updates: DesktopUpdates,
  toggleMeter: () => void,
): DesktopHandlers {
  const { dataDir } = host
  let setups: Promise<ToolSetups> | null = null
  // Loaded at the first call: parsers of the tools' file formats take a while.
  const toolSetups = () => {
    setups ??= import('../tool-setup/tool-setups.ts').then((module) => module.createToolSetups(host.dataDir))
    return setups
  }
  return {
    getState: handler(desktopCalls.getState, port.state),
    setPort: handler(desktopCalls.setPort, port.set),
    setLaunchAtLogin: handler(desktopCalls.setLaunchAtLogin, async (enabled) => {
      await setLaunchAtLogin(enabled)
      return port.state()
    }),
    openExternal: handler(desktopCalls.openExternal, async (url) => {
      if (!EXTERNAL_ORIGINS.has(new URL(url).origin)) return false
      await shell.openExternal(url)
      return true
    }),
    relaunch: handler(desktopCalls.relaunch, () => {
      relaunch()
      return null
    }),
    toggleMeter: handler(desktopCalls.toggleMeter, () => {
      toggleMeter()
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
    listToolSetups: handler(desktopCalls.listToolSetups, async () => (await toolSetups()).list()),
    previewToolSetup: handler(desktopCalls.previewToolSetup, async (choice) =>
      (await toolSetups()).preview(choice),
    ),
    applyToolSetup: handler(desktopCalls.applyToolSetup, async (request) =>
      (await toolSetups()).apply(request),
    ),
    undoToolSetup: handler(desktopCalls.undoToolSetup, async (tool) => (await toolSetups()).undo(tool)),
    getUpdates: handler(desktopCalls.getUpdates, updates.state),
    setUpdateMode: handler(desktopCalls.setUpdateMode, updates.setMode),
    checkForUpdates: handler(desktopCalls.checkForUpdates, updates.check),
    downloadUpdate: handler(desktopCalls.downloadUpdate, updates.download),
    restartToUpdate: handler(desktopCalls.restartToUpdate, () => {
      updates.restart()
      return null
    }),
    dismissUpdateNews: handler(desktopCalls.dismissUpdateNews, updates.dismissNews),
    listCrashes: handler(desktopCalls.listCrashes, () => readCrashes(dataDir)),
    markCrashesSeen: handler(desktopCalls.markCrashesSeen, () => {
      markCrashesSeen(dataDir)
      return readCrashes(dataDir)
    }),
    deleteCrash: handler(desktopCalls.deleteCrash, (id) => {
      removeCrash(dataDir, id)
      return readCrashes(dataDir)
    }),
    runChecks: handler(desktopCalls.runChecks, async (calls) => {
      const { examine } = await import('../cli/doctor/examine.ts')
      return examine(dataDir, { calls })
    }),
  }
}
