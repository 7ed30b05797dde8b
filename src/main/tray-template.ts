import type { MenuItemConstructorOptions } from 'electron'
import type { DesktopState } from '../shared/desktop/desktop.ts'
import { type AppHref, PAUSE_HREF } from '../shared/desktop/views.ts'
import type { CapWarning } from './cap-warnings.ts'

export interface TrayActions {
  state(): Pick<DesktopState, 'baseUrl' | 'listenError'>
  /** Brings the window to the front, at a view if one is given. */
  open(href?: AppHref): void
  resume(): void
  /** Opens the taximeter, or closes it. */
  toggleMeter(): void
  revealLog(): void
  quit(): void
}

export interface TraySpend {
  /** Formatted in USD. */
  today: string
  warnings: readonly CapWarning[]
  /** The running requests with what they have cost so far; null for none. */
  running: string | null
  /** A line for each window of a plan. */
  plans: readonly string[]
  /** Whether everything is paused. */
  isPaused: boolean
}

export function trayTemplate(spend: TraySpend, actions: TrayActions): MenuItemConstructorOptions[] {
  const { baseUrl, listenError } = actions.state()
  const state = baseUrl ? `Running on ${baseUrl.replace('http://', '')}` : (listenError ?? 'Not listening')
  return [
    { label: spend.isPaused ? 'Everything is paused' : state, enabled: false },
    { label: `Spent today: ${spend.today}`, enabled: false },
    ...(spend.running === null ? [] : [{ label: spend.running, click: () => actions.toggleMeter() }]),
    ...spend.plans.map((label) => ({ label, enabled: false })),
    ...spend.warnings.map(({ label, href }) => ({ label: `⚠ ${label}`, click: () => actions.open(href) })),
    { type: 'separator' },
    { label: 'Open Tollgate', click: () => actions.open() },
    { label: 'Taximeter', click: () => actions.toggleMeter() },
    spend.isPaused
      ? { label: 'Resume', click: () => actions.resume() }
      : { label: 'Pause Everything…', click: () => actions.open(PAUSE_HREF) },
    { label: 'Reveal Log', click: () => actions.revealLog() },
    { label: 'Quit', click: () => actions.quit() },
  ]
}
