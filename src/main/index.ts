import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { app } from 'electron'
import { ignoreOutputErrors } from '../host/crash-handlers.ts'
import { chooseDataDir, prepareDataDir } from '../host/data-dir.ts'
import { appVersion, builtInterface } from '../host/files.ts'
import { type Flags, readFlags } from '../host/flags.ts'
import { createHostLog } from '../host/log.ts'
import { readPreferences } from '../host/preferences.ts'
import { DEFAULT_PORT, type Host, startHost } from '../host/start.ts'
import { registerAppProtocol, registerAppScheme } from './app-protocol.ts'
import { refusedSwitch } from './debugging.ts'
import { createDesktopHandlers } from './desktop-handlers.ts'
import { createGatewayPort } from './gateway-port.ts'
import { registerDesktopCalls } from './ipc.ts'
import { HIDDEN_FLAG } from './login.ts'
import { createMainWindow } from './main-window.ts'
import { installMenu } from './menu.ts'
import { showCapAlerts } from './notifications.ts'
import { revealLog } from './reveal.ts'
import { closeHostBeforeQuit, exitOnUncaughtError, exitWithError } from './shutdown.ts'
import { createTray, type TrayHandle } from './tray.ts'
import { lockDownSession } from './window.ts'

const log = createHostLog()
let host: Host | null = null

ignoreOutputErrors()
exitOnUncaughtError(log, () => host)
try {
  start()
} catch (error) {
  exitWithError(error, log)
}

/** Everything that must happen before Electron is ready. */
function start(): void {
  const refusal = app.isPackaged ? refusedSwitch((name) => app.commandLine.hasSwitch(name)) : null
  if (refusal !== null) throw new Error(refusal)
  const flags = readFlags(process.argv.slice(1), { strict: false })
  log.setLevel(flags.logLevel ?? 'info')
  const dataDir = chooseDataDir(flags.dataDir)
  prepareDataDir(dataDir)
  configureChromium(dataDir)
  if (!app.requestSingleInstanceLock()) {
    app.exit(0)
    return
  }
  registerAppScheme()
  void app
    .whenReady()
    .then(() => open(dataDir, flags))
    .catch((error: unknown) => exitWithError(error, log))
}

function configureChromium(dataDir: string): void {
  // With Chromium's files in the data dir, its single-instance lock applies to each data dir.
  const windowDir = join(dataDir, 'window')
  mkdirSync(windowDir, { recursive: true, mode: 0o700 })
  app.setPath('userData', windowDir)
  // The window stores no passwords or cookies, so Chromium does not need the user's keyring.
  app.commandLine.appendSwitch('password-store', 'basic')
}

async function open(dataDir: string, flags: Flags): Promise<void> {
  host = await startHost({
    dataDir,
    version: appVersion(),
    credentials: flags.credentials ?? 'keychain',
    // The window loads the interface from app://, so the listener serves only the API.
    interfaceDir: null,
    createAdminKey: false,
    program: 'desktop',
    log,
    onFatal: (reason) => exitWithError(reason, log),
  })
  const { gateway } = host
  closeHostBeforeQuit(host, log)
  lockDownSession()
  registerAppProtocol(gateway, builtInterface(), devServer())

  let tray: TrayHandle | null = null
  const showWindow = createMainWindow(dataDir)
  const revealLogFile = () => void revealLog(dataDir).catch((err: unknown) => log.warn('Reveal log', { err }))
  const initialPort = flags.port ?? readPreferences(dataDir).port ?? DEFAULT_PORT
  const port = createGatewayPort(host, initialPort, () => tray?.refresh())
  registerDesktopCalls(createDesktopHandlers(host, port))
  installMenu({ open: showWindow, revealLog: revealLogFile })
  await port.listen()

  app.on('second-instance', () => showWindow())
  app.on('activate', () => showWindow())
  app.on('window-all-closed', () => {
    if (tray === null && process.platform !== 'darwin') app.quit()
  })
  const alerts = showCapAlerts(gateway, showWindow, log)
  tray = await createTray(gateway, {
    state: port.state,
    open: showWindow,
    revealLog: revealLogFile,
    quit: () => app.quit(),
  })
  app.on('will-quit', () => {
    tray?.close()
    alerts.close()
  })
  if (!process.argv.includes(HIDDEN_FLAG) || tray === null) showWindow()
}

/** Vite's server under `electron-vite dev`. A packaged app ignores the variable, as anyone could set it. */
function devServer(): string | null {
  return (app.isPackaged ? null : process.env.ELECTRON_RENDERER_URL) ?? null
}
