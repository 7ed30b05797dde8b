// The record of a setup, and of how it is undone: a file in the data dir, and a backup of each changed file next to it.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeFileAtomic } from '../gateway/compose/host-api.ts'
import { ToolExtra } from '../shared/tools/tool-setup.ts'
import { UndoStep } from './changes.ts'

const FileRecord = z.object({
  path: z.string(),
  realPath: z.string(),
  syntax: z.enum(['json', 'yaml', 'toml', 'dotenv']),
  steps: z.array(UndoStep),
  /** A digest of the text that was written. */
  written: z.string(),
  /** The file's name in the backup folder; null if there was no file. */
  backup: z.string().nullable(),
  createdFolders: z.array(z.string()),
})
export type FileRecord = z.infer<typeof FileRecord>

const SetupRecord = z.object({
  tool: z.string(),
  keyId: z.string(),
  /** The key was created for the tool, and is revoked with the setup. */
  keyCreated: z.boolean(),
  /** Earlier versions did not record them. */
  extras: z.array(ToolExtra).default([]),
  files: z.array(FileRecord),
})
export type SetupRecord = z.infer<typeof SetupRecord>

const RecordFile = z.object({ setups: z.array(SetupRecord) })

/** The record cannot be read, so that nothing can be undone. The message is for the user. */
class SetupRecordError extends Error {
  override name = 'SetupRecordError'
}

export class SetupRecords {
  readonly #path: string
  readonly #backups: string

  constructor(dataDir: string) {
    this.#path = join(dataDir, 'tool-setups.json')
    this.#backups = join(dataDir, 'tool-backups')
  }

  all(): SetupRecord[] {
    if (!existsSync(this.#path)) return []
    try {
      return RecordFile.parse(JSON.parse(readFileSync(this.#path, 'utf8'))).setups
    } catch {
      throw new SetupRecordError(`${this.#path} is damaged. Restore it, or remove it to set tools up again.`)
    }
  }

  find(tool: string): SetupRecord | null {
    return this.all().find((record) => record.tool === tool) ?? null
  }

  put(record: SetupRecord): void {
    this.#write([...this.all().filter(({ tool }) => tool !== record.tool), record])
  }

  remove(tool: string): void {
    this.#write(this.all().filter((record) => record.tool !== tool))
    rmSync(join(this.#backups, tool), { recursive: true, force: true })
  }

  backupPath(tool: string, name: string): string {
    return join(this.#backups, tool, name)
  }

  /** Stores the text of a file as it was and returns the backup's name. */
  backUp(tool: string, name: string, text: string): string {
    mkdirSync(join(this.#backups, tool), { recursive: true, mode: 0o700 })
    writeFileAtomic(this.backupPath(tool, name), text)
    return name
  }

  #write(setups: SetupRecord[]): void {
    writeFileAtomic(this.#path, `${JSON.stringify({ setups }, null, 2)}\n`)
  }
}
