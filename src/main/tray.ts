// Owns the tray icon (menu bar on macOS): the gateway's state, today's spend, open and quit. A desktop without a tray
// is a desktop; the app then lives and dies with its window.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Menu, nativeImage, Tray } from 'electron'
import { appRoot } from '../host/files.ts'
import type { Gateway } from '../host/start.ts'
import { Account } from '../shared/account.ts'
import type { DesktopState } from '../shared/desktop.ts'
import { HOME } from './door.ts'

export interface TrayActions {
  state(): DesktopState
  open(): void
  quit(): void
}

const REFRESH_MS = 500

/** Shows the icon and keeps it true; null where nothing would show it. `refresh` is for changes the gateway cannot know. */
export async function showTray(
  gateway: Gateway,
  actions: TrayActions,
): Promise<{ refresh(): void; close(): void } | null> {
  if (!(await desktopShowsTrays())) return null
  const file = process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'
  const tray = new Tray(nativeImage.createFromPath(join(appRoot, 'resources', file)))
  tray.on('click', () => {
    if (process.platform !== 'darwin') actions.open()
  })

  const draw = async () => {
    const spend = await todaySpend(gateway)
    if (tray.isDestroyed()) return
    const { baseUrl, listenError } = actions.state()
    const state = baseUrl ? `Running on ${baseUrl.replace('http://', '')}` : (listenError ?? 'Not listening')
    tray.setToolTip(`Tollgate · ${spend} today`)
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: state, enabled: false },
        { label: `Spent today: ${spend}`, enabled: false },
        { type: 'separator' },
        { label: 'Open Tollgate', click: actions.open },
        { label: 'Quit', click: actions.quit },
      ]),
    )
  }
  // Bursts of requests must not become bursts of menus.
  let due: NodeJS.Timeout | null = null
  const refresh = () => {
    due ??= setTimeout(() => {
      due = null
      void draw()
    }, REFRESH_MS)
  }
  const unsubscribe = gateway.subscribe((event) => {
    if (event.type === 'account' || event.type === 'request') refresh()
  })
  await draw()
  return {
    refresh,
    close() {
      unsubscribe()
      if (due) clearTimeout(due)
      tray.destroy()
    },
  }
}

async function todaySpend(gateway: Gateway): Promise<string> {
  try {
    const answer = await gateway.fetchAsOwner(new Request(new URL('/v1/account', HOME)))
    const { todaySpendUsd } = Account.parse(await answer.json())
    return `$${todaySpendUsd.toFixed(2)}`
  } catch {
    return 'unknown'
  }
}

// On Linux Electron makes a tray icon whether or not anything shows it. Its watcher on the session bus tells
// (freedesktop StatusNotifierItem); without an answer, take it that none is there.
async function desktopShowsTrays(): Promise<boolean> {
  if (process.platform !== 'linux') return true
  try {
    const { stdout } = await promisify(execFile)(
      'dbus-send',
      [
        '--session',
        '--print-reply=literal',
        '--dest=org.freedesktop.DBus',
        '/org/freedesktop/DBus',
        'org.freedesktop.DBus.NameHasOwner',
        'string:org.kde.StatusNotifierWatcher',
      ],
      { timeout: 2_000 },
    )
    return stdout.includes('true')
  } catch {
    return false
  }
}
