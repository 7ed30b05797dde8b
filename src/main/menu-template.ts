import type { MenuItemConstructorOptions } from 'electron'
import { type AppHref, PAUSE_HREF, VIEWS } from '../shared/desktop/views.ts'

export interface MenuActions {
  /** Brings the window to the front, at a view if one is given. */
  open(href?: AppHref): void
  revealLog(): void
  /** Opens the taximeter, or closes it. */
  toggleMeter(): void
  /** Ends the pause of everything. */
  resume(): void
}

interface MenuOptions extends MenuActions {
  platform: NodeJS.Platform
  /** Leaves out the developer's items. */
  packaged: boolean
  /** Whether everything is paused. */
  isPaused: boolean
}

/** The application menu: the platform's standard roles, the views, and help. */
export function menuTemplate(options: MenuOptions): MenuItemConstructorOptions[] {
  const { platform, packaged, isPaused, open, revealLog, toggleMeter, resume } = options
  const isMac = platform === 'darwin'
  const separator: MenuItemConstructorOptions = { type: 'separator' }
  const settings: MenuItemConstructorOptions = {
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    click: () => open('/settings'),
  }
  const pause: MenuItemConstructorOptions = isPaused
    ? { label: 'Resume Everything', click: () => resume() }
    : { label: 'Pause Everything…', click: () => open(PAUSE_HREF) }
  const own: MenuItemConstructorOptions[] = isMac
    ? [
        { role: 'about' },
        separator,
        settings,
        separator,
        pause,
        separator,
        { role: 'services' },
        separator,
        { role: 'hide' },
        { role: 'hideOthers' },
        { role: 'unhide' },
        separator,
        { role: 'quit' },
      ]
    : [{ label: 'Open', click: () => open() }, settings, separator, pause, separator, { role: 'quit' }]
  const views = VIEWS.map(
    ({ name, href }, at): MenuItemConstructorOptions => ({
      label: name,
      // There are nine digits, and Ctrl+0 resets the zoom. The last view, the settings, has Ctrl+comma.
      ...(at < 9 ? { accelerator: `CmdOrCtrl+${at + 1}` } : {}),
      click: () => open(href),
    }),
  )
  const development: MenuItemConstructorOptions[] = [
    separator,
    { role: 'reload' },
    { role: 'toggleDevTools' },
  ]
  return [
    { label: 'Tollgate', submenu: own },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        separator,
        { role: 'togglefullscreen' },
        separator,
        { label: 'Taximeter', accelerator: 'CmdOrCtrl+Shift+M', click: () => toggleMeter() },
        ...(packaged ? [] : development),
      ],
    },
    { label: 'Go', submenu: views },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        { label: 'Documentation', click: () => open('/help/start') },
        { label: 'Keyboard Shortcuts', click: () => open('/help/shortcuts') },
        { label: 'What’s New', click: () => open('/help/whats-new') },
        separator,
        { label: 'Report a Problem', click: () => open('/help/report') },
        { label: 'Reveal Log', click: () => revealLog() },
        // macOS has it in the menu of the application.
        ...(isMac ? [] : [separator, { role: 'about' as const, label: 'About Tollgate' }]),
      ],
    },
  ]
}
