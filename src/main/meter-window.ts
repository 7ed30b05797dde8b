import { BrowserWindow, screen } from 'electron'
import { readPreferences, writePreferences } from '../host/preferences.ts'
import { METER_PATH, ORIGIN } from './addresses.ts'
import { createWebPreferences } from './window.ts'
import { placeMeter } from './window-bounds.ts'

/** Returns the function that opens the taximeter, a small window above all others, or closes it. */
export function createMeterWindow(dataDir: string): () => void {
  let window: BrowserWindow | null = null
  return () => {
    if (window) {
      window.close()
      return
    }
    const opened = new BrowserWindow({
      ...placeMeter(
        readPreferences(dataDir).meter,
        screen.getAllDisplays().map(({ workArea }) => workArea),
        screen.getPrimaryDisplay().workArea,
      ),
      title: 'Tollgate Taximeter',
      show: false,
      frame: false,
      resizable: false,
      minimizable: false,
      maximizable: false,
      fullscreenable: false,
      skipTaskbar: true,
      alwaysOnTop: true,
      webPreferences: createWebPreferences(),
    })
    window = opened
    opened.setAlwaysOnTop(true, 'floating')
    opened.setVisibleOnAllWorkspaces(true)
    // It must not take the focus from the editor.
    opened.once('ready-to-show', () => opened.showInactive())
    opened.on('close', () => {
      const [x = 0, y = 0] = opened.getPosition()
      writePreferences(dataDir, { meter: { x, y } })
    })
    opened.once('closed', () => {
      window = null
    })
    // An empty window on top of all others would only be in the way.
    const remove = () => opened.isDestroyed() || opened.destroy()
    opened.webContents.on('render-process-gone', () => setImmediate(remove))
    void opened.loadURL(ORIGIN + METER_PATH).catch(remove)
  }
}
