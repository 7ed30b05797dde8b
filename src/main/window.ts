import { join } from 'node:path'
import { app, BrowserWindow, nativeTheme, screen, session, type WebPreferences } from 'electron'
import { appRoot } from '../host/files.ts'
import { readPreferences, writePreferences } from '../host/preferences.ts'
import { LOCALE_SWITCH, NAVIGATE_CHANNEL } from '../shared/desktop/desktop-calls.ts'
import type { AppHref } from '../shared/desktop/views.ts'
import { FAILURE_PATH, HOME, isAppPage, isAppUrl, ORIGIN } from './addresses.ts'
import { firstBounds, MIN_SIZE } from './window-bounds.ts'

// The interface's canvas colors (theme.css), so that the window does not flash before the first paint.
const CANVAS = { light: '#f8f9fb', dark: '#0e1013' }

// The interface copies secrets to the clipboard and needs no other permission.
const PERMISSIONS: readonly string[] = ['clipboard-sanitized-write']

/** Denies every permission and device, new windows, and navigation away from the app. */
export function lockDownSession(): void {
  const all = session.defaultSession
  all.setPermissionRequestHandler((contents, permission, decide) =>
    decide(PERMISSIONS.includes(permission) && isAppUrl(contents.getURL())),
  )
  all.setPermissionCheckHandler(
    (_contents, permission, origin) => PERMISSIONS.includes(permission) && isAppUrl(origin),
  )
  all.setDevicePermissionHandler(() => false)
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
    const keepInApp = (event: Electron.Event<{ url: string; isMainFrame: boolean }>) => {
      if (!event.isMainFrame || !isAppPage(event.url)) event.preventDefault()
    }
    contents.on('will-frame-navigate', keepInApp)
    contents.on('will-redirect', keepInApp)
    // A navigation to about:blank cannot be prevented.
    contents.on('did-navigate', (_event, url) => {
      if (url === 'about:blank') void contents.loadURL(HOME)
    })
    contents.on('will-attach-webview', (event) => event.preventDefault())
  })
}

/** What the pages of the app may do, in whichever window. */
export function createWebPreferences(): WebPreferences {
  return {
    preload: join(appRoot, 'out/preload/index.cjs'),
    additionalArguments: [LOCALE_SWITCH + app.getSystemLocale()],
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    webSecurity: true,
    // Chromium would download dictionaries from Google.
    spellcheck: false,
  }
}

/** Opens the window with its previous bounds, at a view. Its bounds are stored in `dataDir` when it closes. */
function openWindow(dataDir: string, href: AppHref): BrowserWindow {
  const previous = readPreferences(dataDir).window
  const window = new BrowserWindow({
    ...firstBounds(
      previous,
      screen.getAllDisplays().map(({ workArea }) => workArea),
      screen.getPrimaryDisplay().workArea,
    ),
    minWidth: MIN_SIZE.width,
    minHeight: MIN_SIZE.height,
    show: false,
    title: 'Tollgate',
    backgroundColor: nativeTheme.shouldUseDarkColors ? CANVAS.dark : CANVAS.light,
    autoHideMenuBar: true,
    icon: join(appRoot, 'resources/icon.png'),
    webPreferences: createWebPreferences(),
  })
  if (previous?.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  window.on('close', () => {
    const { x, y, width, height } = window.getNormalBounds()
    writePreferences(dataDir, { window: { x, y, width, height, maximized: window.isMaximized() } })
  })
  trackLoaded(window)
  showFailures(window)
  void load(window, ORIGIN + href)
  return window
}

/** Brings a window to the front, even if it is minimized or hidden. */
function focusWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

// Windows that have loaded the interface. `isLoading` is also true during navigation from view to view.
const loaded = new WeakSet<BrowserWindow>()

/** Shows a view in an open window, without reloading the interface if it is loaded. */
function navigateTo(window: BrowserWindow, href: AppHref): void {
  if (loaded.has(window)) window.webContents.send(NAVIGATE_CHANNEL, href)
  else void load(window, ORIGIN + href)
}

function trackLoaded(window: BrowserWindow): void {
  const { webContents } = window
  webContents.on('did-finish-load', () => {
    if (!webContents.getURL().startsWith(ORIGIN + FAILURE_PATH)) loaded.add(window)
  })
  webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
    if (isMainFrame && !isSameDocument) loaded.delete(window)
  })
  webContents.on('render-process-gone', () => loaded.delete(window))
}

function showFailures(window: BrowserWindow): void {
  const show = (reason: string) => {
    window.show()
    void load(window, `${ORIGIN}${FAILURE_PATH}?${new URLSearchParams({ reason })}`)
  }
  const { webContents } = window
  webContents.on('did-fail-load', (_event, code, description, url, isMainFrame) => {
    // -3 is ERR_ABORTED: another load took over. A failure of the failure page must not cause a loop.
    if (!isMainFrame || code === -3 || url.includes(FAILURE_PATH)) return
    show(`The interface could not be loaded (${description || code}).`)
  })
  webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return
    // During this event Chromium is still shutting the old process down; loading a page now would crash the app.
    setImmediate(() => {
      if (!window.isDestroyed()) show(`Its process ended (${reason}).`)
    })
  })
}

// `did-fail-load` handles failures; the rejection would only repeat them.
function load(window: BrowserWindow, url: string): Promise<void> {
  return window.loadURL(url).catch(() => {})
}

/** Returns the function that opens the app's only window or brings it to the front, at a view if one is given. */
export function createMainWindow(dataDir: string): (href?: AppHref) => void {
  let window: BrowserWindow | null = null
  return (href) => {
    if (window) {
      focusWindow(window)
      if (href !== undefined) navigateTo(window, href)
      return
    }
    window = openWindow(dataDir, href ?? '/')
    window.once('closed', () => {
      window = null
    })
  }
}
