// The IPC calls between the window and the main process: only what a browser cannot do. Everything else is HTTP.
import { z } from 'zod'
import {
  ToolApply,
  ToolChoice,
  ToolOutcome,
  ToolPreview,
  ToolSetup,
  UndoOutcome,
} from '../tools/tool-setup.ts'
import { Check } from './checks.ts'
import { CrashReport } from './crashes.ts'
import type { DesktopCall } from './desktop-calls.ts'
import { UpdateMode, UpdateState } from './updates.ts'

export const DesktopState = z.object({
  version: z.string(),
  /** The base URL of the gateway without `/v1`; null while it does not listen. */
  baseUrl: z.string().nullable(),
  port: z.number(),
  /** Why the gateway does not listen, as a sentence; null when it does. */
  listenError: z.string().nullable(),
  /** A free port to offer when the configured one is in use. */
  suggestedPort: z.number().nullable(),
  dataDir: z.string(),
  launchAtLogin: z.boolean(),
  /** Whether links `tollgate://…` open this app. */
  handlesDeepLinks: z.boolean(),
  platform: z.string(),
})
export type DesktopState = z.infer<typeof DesktopState>

export const desktopCalls = {
  getState: { args: z.tuple([]), result: DesktopState },
  /** Listens on another port from now on, and stores it. */
  setPort: { args: z.tuple([z.int().min(1).max(65535)]), result: DesktopState },
  setLaunchAtLogin: { args: z.tuple([z.boolean()]), result: DesktopState },
  /** Opens a page in the user's browser. Returns false if the app does not open its origin. */
  openExternal: { args: z.tuple([z.url({ protocol: /^https$/ })]), result: z.boolean() },
  /** Quits the app and starts it again. */
  relaunch: { args: z.tuple([]), result: z.null() },
  /** Opens the taximeter, or closes it. */
  toggleMeter: { args: z.tuple([]), result: z.null() },
  /** Opens the data folder in the file manager. */
  revealDataDir: { args: z.tuple([]), result: z.null() },
  /** Opens the folder of the log in the file manager. */
  revealLog: { args: z.tuple([]), result: z.null() },
  /** The tools whose configuration Tollgate has written. */
  listToolSetups: { args: z.tuple([]), result: z.array(ToolSetup) },
  /** Previews the changes to the configuration of a tool. */
  previewToolSetup: { args: z.tuple([ToolChoice]), result: ToolPreview },
  applyToolSetup: { args: z.tuple([ToolApply]), result: ToolOutcome },
  /** Restores the files of a tool and revokes its key. */
  undoToolSetup: { args: z.tuple([z.string()]), result: UndoOutcome },
  getUpdates: { args: z.tuple([]), result: UpdateState },
  setUpdateMode: { args: z.tuple([UpdateMode]), result: UpdateState },
  /** Looks for an update now. */
  checkForUpdates: { args: z.tuple([]), result: UpdateState },
  /** Starts the download of the update that was found. */
  downloadUpdate: { args: z.tuple([]), result: UpdateState },
  /** Quits once the running requests are settled, installs the downloaded update, and starts again. A second call ends the requests. */
  restartToUpdate: { args: z.tuple([]), result: z.null() },
  /** Hides the notice that the app was updated. */
  dismissUpdateNews: { args: z.tuple([]), result: UpdateState },
  /** The reports of crashes, newest first. */
  listCrashes: { args: z.tuple([]), result: z.array(CrashReport) },
  markCrashesSeen: { args: z.tuple([]), result: z.array(CrashReport) },
  deleteCrash: { args: z.tuple([z.string()]), result: z.array(CrashReport) },
  /** The checks of `tollgate doctor`. With `true`, every provider is called. */
  runChecks: { args: z.tuple([z.boolean()]), result: z.array(Check) },
} as const satisfies Record<DesktopCall, { args: z.ZodTuple; result: z.ZodType }>

/** `window.desktop`, which the preload script builds from the table, and the events of the main process. */
export type DesktopBridge = {
  [K in DesktopCall]: (
    ...args: z.input<(typeof desktopCalls)[K]['args']>
  ) => Promise<z.output<(typeof desktopCalls)[K]['result']>>
} & {
  /** The system's locale, which the page's own language does not tell: the app comes with Chromium's English texts only. */
  locale: string
  /** Calls `listener` with the path of a view when the menu, the tray or a notification opens it. Returns the unsubscribe function. */
  onNavigate(listener: (href: string) => void): () => void
  /** Calls `listener` with the state of updates when it changes. Returns the unsubscribe function. */
  onUpdates(listener: (state: UpdateState) => void): () => void
}
