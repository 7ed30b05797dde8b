import { app, Menu } from 'electron'
import { type MenuActions, menuTemplate } from './menu-template.ts'

export function installMenu(actions: MenuActions, isPaused: boolean): void {
  const { platform } = process
  app.setAboutPanelOptions({ applicationName: 'Tollgate', applicationVersion: app.getVersion() })
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(menuTemplate({ platform, packaged: app.isPackaged, isPaused, ...actions })),
  )
}
