import type { BrowserWindow } from 'electron'
import type { AppHref } from '../shared/desktop/views.ts'
import { focusWindow, navigateTo, openWindow } from './window.ts'

/** Returns the function that opens the app's only window or brings it to the front, at a view if one is given. */
export function createMainWindow(dataDir: string): (href?: AppHref) => void {
  let window: BrowserWindow | null = null
  return (href) => {
    if (window) {
      focusWindow(window)
      if (href !== undefined) navigateTo(window, href)
      return
    }
    window = openWindow(dataDir, href ?? '/')
    window.once('closed', () => {
      window = null
    })
  }
}
