// Preferences of the program rather than of the gateway, in a JSON file in the data dir. None is secret.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeFileAtomic } from '../gateway/compose/host-api.ts'
import { UpdateMode } from '../shared/desktop/updates.ts'

const Preferences = z.object({
  /** The port to listen on; absent until the user sets one. */
  port: z.int().min(1).max(65535).optional(),
  /** The update mode; absent until the user chooses. */
  updates: UpdateMode.optional(),
  /** The last time the desktop app looked for an update: the newer version that it found, and why it failed. */
  updateCheck: z
    .object({ at: z.string(), version: z.string().nullable(), problem: z.string().nullable() })
    .optional(),
  /** The version of the desktop app that ran last. */
  lastVersion: z.string().optional(),
  window: z
    .object({
      x: z.int(),
      y: z.int(),
      width: z.int().positive(),
      height: z.int().positive(),
      maximized: z.boolean(),
    })
    .optional(),
  /** Where the taximeter was when it closed. */
  meter: z.object({ x: z.int(), y: z.int() }).optional(),
})
export type Preferences = z.infer<typeof Preferences>

const FILE = 'preferences.json'

/** The stored preferences; empty when the file is missing or invalid. */
export function readPreferences(dataDir: string): Preferences {
  try {
    return Preferences.parse(JSON.parse(readFileSync(join(dataDir, FILE), 'utf8')))
  } catch {
    return {}
  }
}

/** Changes the given preferences and keeps the others. */
export function writePreferences(dataDir: string, changes: Preferences): void {
  const all = { ...readPreferences(dataDir), ...changes }
  writeFileAtomic(join(dataDir, FILE), `${JSON.stringify(all, null, 2)}\n`)
}
