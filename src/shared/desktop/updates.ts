// The window's view of updates of the desktop app.
import { z } from 'zod'

/** The automatic steps: `ask` looks for updates, `download` also downloads them, `off` does nothing. */
export const UpdateMode = z.enum(['ask', 'download', 'off'])
export type UpdateMode = z.infer<typeof UpdateMode>

export const AvailableUpdate = z.object({
  version: z.string(),
  releasedAt: z.string(),
  /** The news, as Markdown. */
  notes: z.string(),
  /** The size of the download; null if this installation downloads nothing by itself. */
  bytes: z.number().nullable(),
  /** The page where a person can download it. */
  pageUrl: z.string(),
  /** The command that installs the downloaded package; null if there is none. */
  command: z.string().nullable(),
})
export type AvailableUpdate = z.infer<typeof AvailableUpdate>

export const UpdateState = z.object({
  mode: UpdateMode,
  installedVersion: z.string(),
  /** The version before the last start, if another one ran then. */
  updatedFrom: z.string().nullable(),
  /** `self`: the app replaces itself. `person`: it only shows that there is a new version. `none`: it cannot look for any. */
  method: z.enum(['self', 'person', 'none']),
  /** Why the app does not replace itself, as a sentence; null when it does. */
  reason: z.string().nullable(),
  phase: z.enum(['idle', 'checking', 'available', 'downloading', 'ready', 'restarting']),
  checkedAt: z.string().nullable(),
  update: AvailableUpdate.nullable(),
  downloadedBytes: z.number(),
  /** Why the last check or download failed, as a sentence. */
  problem: z.string().nullable(),
})
export type UpdateState = z.infer<typeof UpdateState>
