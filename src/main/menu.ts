// Owns the application menu: the platform's own roles, so that copy, paste, zoom and quit work as people expect.
import { app, Menu, type MenuItemConstructorOptions } from 'electron'

export function setMenu(openWindow: () => void): void {
  const own: MenuItemConstructorOptions =
    process.platform === 'darwin'
      ? { role: 'appMenu' }
      : { label: 'Tollgate', submenu: [{ label: 'Open', click: openWindow }, { role: 'quit' }] }
  const view: MenuItemConstructorOptions[] = [
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { type: 'separator' },
    { role: 'togglefullscreen' },
  ]
  const development: MenuItemConstructorOptions[] = [
    { type: 'separator' },
    { role: 'reload' },
    { role: 'toggleDevTools' },
  ]
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      own,
      { role: 'editMenu' },
      { label: 'View', submenu: app.isPackaged ? view : [...view, ...development] },
      { role: 'windowMenu' },
    ]),
  )
}
