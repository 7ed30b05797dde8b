// The desktop app from first line to last: who may run, what opens in which order, and that nothing is lost at the end.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { app, type BrowserWindow, dialog, powerMonitor } from 'electron'
import { firstFault, outliveReaders } from '../host/crash-handlers.ts'
import { chooseDataDir, prepareDataDir } from '../host/data-dir.ts'
import { appVersion, builtInterface } from '../host/files.ts'
import { type Flags, readFlags } from '../host/flags.ts'
import { stderrLog } from '../host/log.ts'
import { readPreferences } from '../host/preferences.ts'
import { DEFAULT_PORT, type Host, startHost } from '../host/start.ts'
import type { ViewHref } from '../shared/views.ts'
import { registerAppProtocol, registerAppScheme } from './app-protocol.ts'
import { refusedSwitch } from './debugging.ts'
import { createDesktop } from './desktop.ts'
import { registerDesktopCalls } from './ipc.ts'
import { HIDDEN_FLAG } from './login.ts'
import { installMenu } from './menu.ts'
import { showCapAlerts } from './notifications.ts'
import { createTray } from './tray.ts'
import { focusWindow, goTo, lockDownSession, openWindow } from './window.ts'

const log = stderrLog()
outliveReaders()
/** How long the app may take to end in order once its state is in doubt. */
const END_MS = 15_000
let running: Host | null = null
void firstFault(log).then(async (error) => {
  setTimeout(() => app.exit(1), END_MS)
  await running?.close().catch((closing: unknown) => log.error(`closing failed: ${messageOf(closing)}`))
  giveUp(error)
})

try {
  const refusal = app.isPackaged ? refusedSwitch((name) => app.commandLine.hasSwitch(name)) : null
  if (refusal !== null) throw new Error(refusal)
  const flags = readFlags(process.argv.slice(1), { strict: false })
  const dataDir = chooseDataDir(flags.dataDir)
  prepareDataDir(dataDir)
  // Chromium's own files sit together with the ledger; its single-instance lock is then one per data dir.
  const windowDir = join(dataDir, 'window')
  mkdirSync(windowDir, { recursive: true, mode: 0o700 })
  app.setPath('userData', windowDir)
  // The window keeps no passwords or cookies: Chromium has no business asking for the user's keyring.
  app.commandLine.appendSwitch('password-store', 'basic')
  if (app.requestSingleInstanceLock()) {
    registerAppScheme()
    app.whenReady().then(() => open(dataDir, flags).catch(giveUp), giveUp)
  } else {
    app.exit(0)
  }
} catch (error) {
  giveUp(error)
}

async function open(dataDir: string, flags: Flags): Promise<void> {
  const host = await startHost({
    dataDir,
    version: appVersion(),
    credentials: flags.credentials ?? 'keychain',
    // A browser has no business here: the window has a door of its own.
    interfaceDir: null,
    createAdminKey: false,
    program: 'desktop',
    log,
    onFatal: (reason) => giveUp(new Error(reason)),
  })
  running = host
  closeAtQuit(host)
  lockDownSession()
  registerAppProtocol(host.gateway, builtInterface(), devServer())

  let window: BrowserWindow | null = null
  const showWindow = (href?: ViewHref) => {
    if (window) {
      focusWindow(window)
      if (href !== undefined) goTo(window, href)
      return
    }
    window = openWindow(dataDir, href ?? '/')
    window.once('closed', () => {
      window = null
    })
  }
  let tray: Awaited<ReturnType<typeof createTray>> = null
  const port = flags.port ?? readPreferences(dataDir).port ?? DEFAULT_PORT
  const desktop = createDesktop(host, port, () => tray?.refresh())
  registerDesktopCalls(desktop.answers)
  installMenu(showWindow)
  await desktop.listen()

  app.on('second-instance', () => showWindow())
  app.on('activate', () => showWindow())
  app.on('window-all-closed', () => {
    if (tray === null && process.platform !== 'darwin') app.quit()
  })
  const alerts = showCapAlerts(host.gateway, showWindow, log)
  app.on('will-quit', () => {
    tray?.close()
    alerts.close()
  })
  tray = await createTray(host.gateway, { state: desktop.state, open: showWindow, quit: () => app.quit() })
  if (!process.argv.includes(HIDDEN_FLAG) || tray === null) showWindow()
}

/** Holds the exit back until everything that runs is settled and written. */
function closeAtQuit(host: Host): void {
  let closed = false
  app.on('before-quit', (event) => {
    if (closed) return
    event.preventDefault()
    host
      .close()
      .catch((error: unknown) => log.error(`closing failed: ${messageOf(error)}`))
      .finally(() => {
        closed = true
        app.quit()
      })
  })
  powerMonitor.on('shutdown', () => app.quit())
}

/** Vite's server, when `electron-vite dev` started us. Never in a packaged app: the variable could be anyone's. */
function devServer(): string | null {
  return (app.isPackaged ? null : process.env.ELECTRON_RENDERER_URL) ?? null
}

function giveUp(error: unknown): void {
  const message = messageOf(error)
  process.stderr.write(`tollgate: ${message}\n`)
  dialog.showErrorBox('Tollgate has to end', message)
  app.exit(1)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
