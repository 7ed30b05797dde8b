// Owns putting up the application menu.
import { app, Menu } from 'electron'
import type { ViewHref } from '../shared/views.ts'
import { menuTemplate } from './menu-template.ts'

/** `open` brings the window to the front, at a view if one is named. */
export function installMenu(open: (href?: ViewHref) => void): void {
  const { platform } = process
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate({ platform, packaged: app.isPackaged, open })))
}
