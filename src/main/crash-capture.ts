// Crashes that only Electron sees: of native code, of the window, and of Chromium's other processes.

import { app, BrowserWindow, crashReporter, dialog } from 'electron'
import { dumpDir, takeDumps } from '../host/crash-reports.ts'
import type { Host } from '../host/start.ts'

/** Chromium's crash handler writes dumps into the data dir, and sends them nowhere. */
export function catchNativeCrashes(dataDir: string): void {
  app.setPath('crashDumps', dumpDir(dataDir))
  crashReporter.start({ uploadToServer: false })
}

const ORDERLY = ['clean-exit', 'killed']

interface ProcessEnd {
  reason: string
  exitCode: number
}

/** Reports crashes and hangs of the window and of Chromium's processes. The gateway goes on. */
export function watchProcesses({ run, dataDir }: Host): void {
  const report = (kind: 'window' | 'process', summary: string, { reason, exitCode }: ProcessEnd) => {
    takeDumps(dataDir)
    if (ORDERLY.includes(reason)) return
    run.record({
      kind,
      summary: `${summary} The gateway went on.`,
      details: `${reason}, exit code ${exitCode}`,
    })
  }
  app.on('render-process-gone', (_event, _contents, end) => report('window', 'The window crashed.', end))
  app.on('child-process-gone', (_event, end) =>
    report('process', `A process of the window ended (${end.type}).`, end),
  )
  const watch = (window: BrowserWindow) => window.on('unresponsive', () => void askToReload(window, run))
  for (const window of BrowserWindow.getAllWindows()) watch(window)
  app.on('browser-window-created', (_event, window) => watch(window))
}

const WAIT = 0

async function askToReload(window: BrowserWindow, run: Host['run']): Promise<void> {
  run.record({ kind: 'window', summary: 'The window did not respond. The gateway went on.', details: '' })
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    message: 'The window is not responding',
    detail: 'The gateway is not affected: it continues to serve requests and to record their cost.',
    buttons: ['Wait', 'Reload the window'],
    defaultId: WAIT,
    cancelId: WAIT,
  })
  if (response === WAIT || window.isDestroyed()) return
  // A page that hangs cannot be left in another way; the page for crashes is shown, which loads the window again.
  window.webContents.forcefullyCrashRenderer()
}
