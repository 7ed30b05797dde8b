import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { app, Menu, session } from 'electron'
import { ignoreOutputErrors } from '../host/crash-handlers.ts'
import { takeDumps } from '../host/crash-reports.ts'
import { chooseDataDir, prepareDataDir } from '../host/data-dir.ts'
import { appVersion, builtInterface } from '../host/files.ts'
import { type Flags, readFlags } from '../host/flags.ts'
import { createHostLog } from '../host/log.ts'
import { readPreferences } from '../host/preferences.ts'
import { DEFAULT_PORT, type Gateway, type Host, startHost } from '../host/start.ts'
import { startGatewayThread } from '../host/thread/gateway-thread.ts'
import { followLocale } from '../shared/values/locale.ts'
import { registerAppProtocol, registerAppScheme } from './app-protocol.ts'
import { catchNativeCrashes, watchProcesses } from './crash-capture.ts'
import { ignoreKeyLog, refusedSwitch } from './debugging.ts'
import { createDesktopHandlers } from './desktop-handlers.ts'
import { createGatewayPort } from './gateway-port.ts'
import { registerDesktopCalls } from './ipc.ts'
import { type Links, receiveLinks } from './links.ts'
import { HIDDEN_FLAG } from './login.ts'
import { type MenuActions, menuTemplate } from './menu-template.ts'
import { createMeterWindow } from './meter-window.ts'
import { showAlerts } from './notifications.ts'
import { exitWithNewerData } from './older-backup.ts'
import { callAsOwner, watchPause } from './owner-api.ts'
import { revealLog } from './reveal.ts'
import { closeHostBeforeQuit, exitOnUncaughtError, exitWithError } from './shutdown.ts'
import { createTray, type TrayHandle } from './tray.ts'
import { createDesktopUpdates, type DesktopUpdates } from './updates/desktop-updates.ts'
import { createMainWindow, lockDownSession } from './window.ts'

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
  ignoreKeyLog()
  const flags = readFlags(process.argv.slice(1), { strict: false })
  log.setLevel(flags.logLevel ?? 'info')
  const dataDir = chooseDataDir(flags.dataDir)
  prepareDataDir(dataDir)
  configureChromium(dataDir)
  if (!app.requestSingleInstanceLock()) {
    app.exit(0)
    return
  }
  catchNativeCrashes(dataDir)
  registerAppScheme()
  const links = receiveLinks(process.argv.slice(1))
  // Its thread starts while Chromium does. The error is that of `open`, too.
  const starting = startGatewayHost(dataDir, flags)
  starting.catch(() => undefined)
  const updates = createDesktopUpdates(dataDir, log)
  closeHostBeforeQuit(starting, log, updates)
  void app
    .whenReady()
    .then(() => open(starting, updates, { dataDir, flags, links }))
    .catch(async (error: unknown) => {
      if (!(await exitWithNewerData(error, dataDir, log))) exitWithError(error, log)
    })
}

function configureChromium(dataDir: string): void {
  // Chromium's files are in the data dir, so that its single-instance lock applies to each data dir.
  const windowDir = join(dataDir, 'window')
  mkdirSync(windowDir, { recursive: true, mode: 0o700 })
  app.setPath('userData', windowDir)
  // The window stores no passwords or cookies, so Chromium does not need the user's keyring.
  app.commandLine.appendSwitch('password-store', 'basic')
}

function startGatewayHost(dataDir: string, flags: Flags): Promise<Host> {
  return startHost({
    startGateway: startGatewayThread,
    dataDir,
    version: appVersion(),
    credentials: flags.credentials ?? 'keychain',
    // The window loads the interface from app://, so the listener serves only the API.
    interfaceDir: null,
    createAdminKey: false,
    program: 'desktop',
    resolveProxy: async (url) => {
      await app.whenReady()
      return await session.defaultSession.resolveProxy(url)
    },
    log,
    tookDump: () => takeDumps(dataDir),
    onFatal: (reason) => exitWithError(reason, log),
  })
}

/** Opens the window while the gateway starts: what the window asks of the gateway waits until then. */
async function open(
  starting: Promise<Host>,
  updates: DesktopUpdates,
  { dataDir, flags, links }: { dataDir: string; flags: Flags; links: Links },
): Promise<void> {
  followLocale(app.getSystemLocale())
  lockDownSession()
  const showWindow = createMainWindow(dataDir)
  const toggleMeter = createMeterWindow(dataDir)
  const revealLogFile = () => void revealLog(dataDir).catch((err: unknown) => log.warn('Reveal log', { err }))
  const reportError = (err: unknown) => log.warn('Resume', { err })
  let tray: TrayHandle | null = null
  const listening = starting.then(async (started) => {
    host = started
    watchProcesses(started)
    const initialPort = flags.port ?? readPreferences(dataDir).port ?? DEFAULT_PORT
    const port = createGatewayPort(started, initialPort, () => tray?.refresh())
    await port.listen()
    return port
  })
  registerAppProtocol(starting, builtInterface(), devServer())
  registerDesktopCalls(
    listening.then(async (port) => createDesktopHandlers(await starting, port, updates, toggleMeter)),
  )
  const resume = () => void starting.then(({ gateway: owner }) => resumeAll(owner)).catch(reportError)
  const menuActions = { open: showWindow, revealLog: revealLogFile, toggleMeter, resume }
  let isPaused = false
  const redrawMenus = () => {
    installMenu(menuActions, isPaused)
    tray?.refresh()
  }
  redrawMenus()
  links.follow(showWindow)
  app.on('activate', () => showWindow())
  app.on('window-all-closed', () => {
    if (tray === null && process.platform !== 'darwin') app.quit()
  })
  const isHidden = process.argv.includes(HIDDEN_FLAG) && links.first === undefined
  if (!isHidden) showWindow(links.first)

  const { state } = await listening
  const { gateway } = await starting
  const alerts = showAlerts(gateway, showWindow, log)
  const stopWatching = watchPause(gateway, (paused) => {
    isPaused = paused
    redrawMenus()
  })
  tray = await createTray(gateway, {
    state,
    ...menuActions,
    quit: () => app.quit(),
  })
  const stopUpdates = updates.start()
  app.on('will-quit', () => {
    stopUpdates()
    tray?.close()
    alerts.close()
    stopWatching()
  })
  if (isHidden && tray === null) showWindow()
}

function installMenu(actions: MenuActions, isPaused: boolean): void {
  const { platform } = process
  app.setAboutPanelOptions({ applicationName: 'Tollgate', applicationVersion: app.getVersion() })
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(menuTemplate({ platform, packaged: app.isPackaged, isPaused, ...actions })),
  )
}

function resumeAll(gateway: Gateway): Promise<void> {
  return callAsOwner(gateway, { method: 'POST', path: '/v1/resume' })
}

/** Vite's server under `electron-vite dev`. A packaged app ignores the variable, as anyone could set it. */
function devServer(): string | null {
  return (app.isPackaged ? null : process.env.ELECTRON_RENDERER_URL) ?? null
}
