import type { MenuItemConstructorOptions } from 'electron'
import { c, gettext, t } from 'ttag'
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
    label: t`Settings…`,
    accelerator: 'CmdOrCtrl+,',
    click: () => open('/settings'),
  }
  const pause: MenuItemConstructorOptions = isPaused
    ? { label: t`Resume Everything`, click: () => resume() }
    : { label: t`Pause Everything…`, click: () => open(PAUSE_HREF) }
  const own: MenuItemConstructorOptions[] = isMac
    ? [
        { role: 'about', label: t`About Tollgate` },
        separator,
        settings,
        separator,
        pause,
        separator,
        { role: 'services', label: t`Services` },
        separator,
        { role: 'hide', label: t`Hide Tollgate` },
        { role: 'hideOthers', label: t`Hide Others` },
        { role: 'unhide', label: t`Show All` },
        separator,
        { role: 'quit', label: t`Quit Tollgate` },
      ]
    : [
        { label: t`Open`, click: () => open() },
        settings,
        separator,
        pause,
        separator,
        { role: 'quit', label: platform === 'win32' ? t`Exit` : t`Quit` },
      ]
  const views = VIEWS.map(
    ({ name, href }, at): MenuItemConstructorOptions => ({
      // The names were read in English, before the language was known.
      label: gettext(name),
      // There are nine digits, and Ctrl+0 resets the zoom. The last view, the settings, has Ctrl+comma.
      ...(at < 9 ? { accelerator: `CmdOrCtrl+${at + 1}` } : {}),
      click: () => open(href),
    }),
  )
  const speech: MenuItemConstructorOptions[] = [
    separator,
    {
      label: c('menu').t`Speech`,
      submenu: [
        { role: 'startSpeaking', label: t`Start Speaking` },
        { role: 'stopSpeaking', label: t`Stop Speaking` },
      ],
    },
  ]
  const development: MenuItemConstructorOptions[] = [
    separator,
    { role: 'reload' },
    { role: 'toggleDevTools' },
  ]
  return [
    { label: 'Tollgate', submenu: own },
    {
      role: 'editMenu',
      label: t`Edit`,
      submenu: [
        { role: 'undo', label: t`Undo` },
        { role: 'redo', label: t`Redo` },
        separator,
        { role: 'cut', label: t`Cut` },
        { role: 'copy', label: t`Copy` },
        { role: 'paste', label: t`Paste` },
        ...(isMac ? [{ role: 'pasteAndMatchStyle' as const, label: t`Paste and Match Style` }] : []),
        { role: 'delete', label: t`Delete` },
        ...(isMac ? [] : [separator]),
        { role: 'selectAll', label: t`Select All` },
        ...(isMac ? speech : []),
      ],
    },
    {
      label: t`View`,
      submenu: [
        { role: 'resetZoom', label: t`Actual Size` },
        { role: 'zoomIn', label: t`Zoom In` },
        { role: 'zoomOut', label: t`Zoom Out` },
        separator,
        { role: 'togglefullscreen', label: t`Toggle Full Screen` },
        separator,
        { label: t`Taximeter`, accelerator: 'CmdOrCtrl+Shift+M', click: () => toggleMeter() },
        ...(packaged ? [] : development),
      ],
    },
    { label: t`Go`, submenu: views },
    {
      role: 'windowMenu',
      label: t`Window`,
      submenu: [
        { role: 'minimize', label: t`Minimize` },
        ...(isMac
          ? [
              { role: 'zoom' as const, label: t`Zoom` },
              separator,
              { role: 'front' as const, label: t`Bring All to Front` },
            ]
          : [{ role: 'close' as const, label: t`Close` }]),
      ],
    },
    {
      role: 'help',
      label: t`Help`,
      submenu: [
        { label: t`Documentation`, click: () => open('/help/start') },
        { label: t`Keyboard Shortcuts`, click: () => open('/help/shortcuts') },
        { label: t`What’s New`, click: () => open('/help/whats-new') },
        separator,
        { label: t`Report a Problem`, click: () => open('/help/report') },
        { label: t`Reveal Log`, click: () => revealLog() },
        // macOS has it in the menu of the application.
        ...(isMac ? [] : [separator, { role: 'about' as const, label: t`About Tollgate` }]),
      ],
    },
  ]
}
