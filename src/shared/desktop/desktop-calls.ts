// The names of the IPC calls, without their schemas: the preload script runs before everything else in the window.
export const DESKTOP_CALLS = [
  'getState',
  'setPort',
  'setLaunchAtLogin',
  'openExternal',
  'relaunch',
  'toggleMeter',
  'revealDataDir',
  'revealLog',
  'listToolSetups',
  'previewToolSetup',
  'applyToolSetup',
  'undoToolSetup',
  'getUpdates',
  'setUpdateMode',
  'checkForUpdates',
  'downloadUpdate',
  'restartToUpdate',
  'dismissUpdateNews',
  'listCrashes',
  'markCrashesSeen',
  'deleteCrash',
  'runChecks',
] as const

export type DesktopCall = (typeof DESKTOP_CALLS)[number]

/** The IPC channel on which the main process sends the path of the view to show. */
export const NAVIGATE_CHANNEL = 'tollgate:navigate'

/** The IPC channel on which the main process sends the state of updates when it changes. */
export const UPDATES_CHANNEL = 'tollgate:updates'

/** The argument with which the main process starts the window's process: the system's locale, such as `de-DE`. */
export const LOCALE_SWITCH = '--tollgate-locale='

/** The IPC channel of a call. */
export function desktopChannel(call: DesktopCall): string {
  return `tollgate:${call}`
}
