import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Menu, nativeImage, Tray } from 'electron'
import { appRoot } from '../host/files.ts'
import type { Gateway } from '../host/start.ts'
import { Account } from '../shared/api/account.ts'
import { KeyList } from '../shared/api/keys.ts'
import { PlanStates } from '../shared/api/plans.ts'
import { RunningRequests } from '../shared/api/requests.ts'
import { sumBilled } from '../shared/api/terms.ts'
import { formatPlanWindow } from '../shared/limits/plan-text.ts'
import { formatUsd } from '../shared/money/format-usd.ts'
import { listCapWarnings } from './cap-warnings.ts'
import { readAsOwner } from './owner-api.ts'
import { type TrayActions, type TraySpend, trayTemplate } from './tray-template.ts'

export interface TrayHandle {
  /** Refreshes after changes that cause no event of the gateway, such as its port. */
  refresh(): void
  close(): void
}

const REFRESH_MS = 500
/** While requests run, what they cost so far grows. */
const TICK_MS = 1_000
/** The end of a day causes no event, but resets the spend of today. */
const REDRAW_MS = 60_000

/**
 * Shows the tray icon (the menu bar on macOS) with the gateway's state, today's spend and cap warnings. Null on a desktop
 * without a tray; the app then quits with its window.
 */
export async function createTray(gateway: Gateway, actions: TrayActions): Promise<TrayHandle | null> {
  if (!(await hasTraySupport())) return null
  const file = process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'
  const tray = new Tray(nativeImage.createFromPath(join(appRoot, 'resources', file)))
  tray.on('click', () => {
    if (process.platform !== 'darwin') actions.open()
  })

  const draw = async () => {
    const spend = await readSpend(gateway)
    if (tray.isDestroyed()) return
    const [first] = spend.warnings
    const note = spend.isPaused ? 'everything is paused' : first?.label
    const parts = ['Tollgate', `${spend.today} today`, spend.running, note]
    tray.setToolTip(parts.filter(Boolean).join(' · '))
    // On macOS the amount is next to the icon while it grows.
    tray.setTitle(spend.running === null ? '' : spend.today)
    if (spend.running !== null) refresh(TICK_MS)
    tray.setContextMenu(Menu.buildFromTemplate(trayTemplate(spend, actions)))
  }
  // A burst of requests redraws the menu only once.
  let timer: NodeJS.Timeout | null = null
  const refresh = (ms = REFRESH_MS) => {
    timer ??= setTimeout(() => {
      timer = null
      void draw()
    }, ms)
  }
  const unsubscribe = gateway.subscribe(() => refresh(), ['account', 'key', 'plan', 'request'])
  const redraw = setInterval(refresh, REDRAW_MS)
  await draw()
  return {
    refresh: () => refresh(),
    close() {
      unsubscribe()
      clearInterval(redraw)
      if (timer) clearTimeout(timer)
      tray.destroy()
    },
  }
}

async function readSpend(gateway: Gateway): Promise<TraySpend> {
  try {
    const account = await readAsOwner(gateway, '/v1/account', Account)
    const keys = await readAsOwner(gateway, '/v1/keys', KeyList)
    const plans = await readAsOwner(gateway, '/v1/plan-windows', PlanStates)
    const { data: running, todaySpendUsd } = await readAsOwner(
      gateway,
      '/v1/requests/running',
      RunningRequests,
    )
    const runningUsd = sumBilled(running)
    return {
      today: formatUsd(todaySpendUsd + runningUsd),
      running: running.length === 0 ? null : `${running.length} running, ${formatUsd(runningUsd)} so far`,
      warnings: listCapWarnings(account, keys.data),
      plans: plans.data.flatMap(({ name, windows }) =>
        windows.map((window) => `${name}, ${formatPlanWindow(window, Date.now(), account.timeZone)}`),
      ),
      isPaused: account.pausedAt !== null,
    }
  } catch {
    return { today: 'unknown', running: null, warnings: [], plans: [], isPaused: false }
  }
}

// On Linux, Electron creates a tray icon even if nothing displays it. A desktop that does has a StatusNotifierWatcher
// (freedesktop StatusNotifierItem specification) on the session bus.
async function hasTraySupport(): Promise<boolean> {
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
