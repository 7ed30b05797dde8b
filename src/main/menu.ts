import { app, Menu } from 'electron'
import { type MenuActions, menuTemplate } from './menu-template.ts'

export function installMenu(actions: MenuActions): void {
  const { platform } = process
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(menuTemplate({ platform, packaged: app.isPackaged, ...actions })),
  )
}
