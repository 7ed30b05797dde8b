// Owns the tray icon (menu bar on macOS): the gateway's state, today's spend, caps that run out, open and quit. A desktop
// without a tray is a desktop; the app then lives and dies with its window.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Menu, nativeImage, Tray } from 'electron'
import { appRoot } from '../host/files.ts'
import type { Gateway } from '../host/start.ts'
import { Account } from '../shared/account.ts'
import type { DesktopState } from '../shared/desktop.ts'
import { formatUsd } from '../shared/format-usd.ts'
import { KeyList } from '../shared/keys.ts'
import type { ViewHref } from '../shared/views.ts'
import { HOME } from './addresses.ts'
import { type CapWarning, capWarnings } from './cap-alert-text.ts'

export interface TrayActions {
  state(): DesktopState
  /** Brings the window to the front, at a view if one is named. */
  open(href?: ViewHref): void
  quit(): void
}

const REFRESH_MS = 500
/** A day ends without any event: what was spent today must not stay yesterday's. */
const REDRAW_MS = 60_000

/** Shows the icon and keeps it true; null where nothing would show it. `refresh` is for changes the gateway cannot know. */
export async function createTray(
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
    const { spend, warnings } = await readMoney(gateway)
    if (tray.isDestroyed()) return
    const { baseUrl, listenError } = actions.state()
    const state = baseUrl ? `Running on ${baseUrl.replace('http://', '')}` : (listenError ?? 'Not listening')
    const [first] = warnings
    tray.setToolTip(`Tollgate · ${spend} today${first ? ` · ${first.label}` : ''}`)
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: state, enabled: false },
        { label: `Spent today: ${spend}`, enabled: false },
        ...warnings.map(({ label, href }) => ({ label: `⚠ ${label}`, click: () => actions.open(href) })),
        { type: 'separator' },
        { label: 'Open Tollgate', click: () => actions.open() },
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
    if (event.type === 'account' || event.type === 'key') refresh()
  })
  const redraw = setInterval(refresh, REDRAW_MS)
  await draw()
  return {
    refresh,
    close() {
      unsubscribe()
      clearInterval(redraw)
      if (due) clearTimeout(due)
      tray.destroy()
    },
  }
}

async function readMoney(gateway: Gateway): Promise<{ spend: string; warnings: CapWarning[] }> {
  const ask = async (path: string): Promise<unknown> =>
    (await gateway.fetchAsOwner(new Request(new URL(path, HOME)))).json()
  try {
    const account = Account.parse(await ask('/v1/account'))
    const keys = KeyList.parse(await ask('/v1/keys'))
    return { spend: formatUsd(account.todaySpendUsd), warnings: capWarnings(account, keys.data) }
  } catch {
    return { spend: 'unknown', warnings: [] }
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
