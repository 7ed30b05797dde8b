// Crashes that only Electron sees: of native code, of the window, and of Chromium's other processes.

import { app, BrowserWindow, crashReporter, dialog } from 'electron'
import { dumpDir, takeDumps } from '../host/crash/dumps.ts'
import type { Host } from '../host/start.ts'

/** Chromium's crash handler writes dumps into the data dir, and sends them nowhere. */
export function catchNativeCrashes(dataDir: string): void {
  app.setPath('crashDumps', dumpDir(dataDir))
  crashReporter.start({ uploadToServer: false })
}

const ORDERLY = ['clean-exit', 'killed']

/** Reports crashes and hangs of the window and of Chromium's processes. The gateway goes on. */
export function watchProcesses({ run, dataDir }: Host): void {
  /** Null for an orderly end, which leaves no dump to keep either. */
  const describeDetails = (reason: string, exitCode: number): string | null => {
    const dump = takeDumps(dataDir)
    if (ORDERLY.includes(reason)) return null
    return [`${reason}, exit code ${exitCode}`, ...(dump === null ? [] : [dump])].join('\n')
  }
  app.on('render-process-gone', (_event, _contents, { reason, exitCode }) => {
    const details = describeDetails(reason, exitCode)
    if (details === null) return
    run.record({ kind: 'window', summary: 'The window crashed. The gateway went on.', details })
  })
  app.on('child-process-gone', (_event, { type, reason, exitCode }) => {
    const details = describeDetails(reason, exitCode)
    if (details === null) return
    run.record({
      kind: 'process',
      summary: `A process of the window ended (${type}). The gateway went on.`,
      details,
    })
  })
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
