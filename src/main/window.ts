// Owns the one window: its size and place, what it may load and do, and what it shows when it fails.

import { join } from 'node:path'
import { app, BrowserWindow, nativeTheme, type Rectangle, screen, session } from 'electron'
import { appRoot } from '../host/files.ts'
import { readPreferences, writePreferences } from '../host/preferences.ts'
import { NAVIGATE_CHANNEL } from '../shared/desktop.ts'
import type { ViewHref } from '../shared/views.ts'
import { FAILURE_PATH, HOME, isOurs, isPage, ORIGIN } from './addresses.ts'

const SMALLEST = { width: 900, height: 600 }
const FIRST = { width: 1240, height: 820 }

// The interface's canvas colours (theme.css), so that the window does not flash before the first paint.
const CANVAS = { light: '#f8f9fb', dark: '#0e1013' }

// Copying a key's secret is all the interface needs a permission for.
const PERMISSIONS: readonly string[] = ['clipboard-sanitized-write']

/** Denies every permission, device and download that the interface has no use for, to any page whatsoever. */
export function lockDownSession(): void {
  const all = session.defaultSession
  all.setPermissionRequestHandler((contents, permission, decide) =>
    decide(PERMISSIONS.includes(permission) && isOurs(contents.getURL())),
  )
  all.setPermissionCheckHandler(
    (_contents, permission, origin) => PERMISSIONS.includes(permission) && isOurs(origin),
  )
  all.setDevicePermissionHandler(() => false)
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
    contents.on('will-frame-navigate', (event) => {
      if (!event.isMainFrame || !isPage(event.url)) event.preventDefault()
    })
    // Chromium asks nobody before it shows about:blank.
    contents.on('did-navigate', (_event, url) => {
      if (url === 'about:blank') void contents.loadURL(HOME)
    })
    contents.on('will-attach-webview', (event) => event.preventDefault())
  })
}

/** Opens the window at its remembered place, on a view. Its bounds are remembered in `dataDir` when it closes. */
export function openWindow(dataDir: string, href: ViewHref): BrowserWindow {
  const remembered = readPreferences(dataDir).window
  const window = new BrowserWindow({
    ...(remembered && isOnScreen(remembered) ? boundsOf(remembered) : FIRST),
    minWidth: SMALLEST.width,
    minHeight: SMALLEST.height,
    show: false,
    title: 'Tollgate',
    backgroundColor: nativeTheme.shouldUseDarkColors ? CANVAS.dark : CANVAS.light,
    autoHideMenuBar: true,
    icon: join(appRoot, 'resources/icon.png'),
    webPreferences: {
      preload: join(appRoot, 'out/preload/index.cjs'),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      // Chromium fetches spelling dictionaries from a vendor's server.
      spellcheck: false,
    },
  })
  if (remembered?.maximized) window.maximize()
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

/** Brings a window to the front, whatever state it is in. */
export function focusWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

// Windows that show the interface, and all of it: `isLoading` would also count every step from view to view.
const loaded = new WeakSet<BrowserWindow>()

/** Leads an open window to a view, without losing what it holds where it shows the interface already. */
export function goTo(window: BrowserWindow, href: ViewHref): void {
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
    // -3 is ERR_ABORTED: another load took over. The failure page itself failing must not loop.
    if (!isMainFrame || code === -3 || url.includes(FAILURE_PATH)) return
    show(`The interface could not be loaded (${description || code}).`)
  })
  webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return
    // Within this event Chromium is still taking the old process down; loading then takes the whole app with it.
    setImmediate(() => {
      if (!window.isDestroyed()) show(`Its process ended (${reason}).`)
    })
  })
}

// A failed load is told by `did-fail-load`; the promise would only repeat it.
function load(window: BrowserWindow, url: string): Promise<void> {
  return window.loadURL(url).catch(() => {})
}

function boundsOf({ x, y, width, height }: Rectangle): Rectangle {
  return { x, y, width: Math.max(width, SMALLEST.width), height: Math.max(height, SMALLEST.height) }
}

// A screen may be gone since: enough of the title bar must be within reach to move the window.
function isOnScreen({ x, y, width }: Rectangle): boolean {
  return screen
    .getAllDisplays()
    .some(
      ({ workArea }) =>
        y >= workArea.y &&
        y < workArea.y + workArea.height - 50 &&
        x + width > workArea.x + 100 &&
        x < workArea.x + workArea.width - 100,
    )
}
