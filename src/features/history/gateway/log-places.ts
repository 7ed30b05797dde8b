// The logs on this computer: which tools have any, and which of them Claude Code will delete. Loaded when somebody asks.
import { access, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { HistoryState } from '../../../shared/api/history.ts'
import { HISTORY_TOOLS, type HistoryTool } from '../../../shared/api/history-tools.ts'
import { Findings } from './findings.ts'
import type { LogFile } from './imported-rows.ts'
import { walkFiles } from './list-files.ts'
import { readJsonFile } from './log-files.ts'
import { readers } from './read-history.ts'
import { claudeCode, isTranscript } from './readers/claude-code.ts'
import type { Place } from './readers/reader.ts'

const DAY_MS = 86_400_000
/** The age at which Claude Code deletes logs, unless its settings have another. */
const DEFAULT_DAYS = 30
const NOTICE_DAYS = 7

/** How many files are compared with the store at a time. */
const BATCH = 500

/** The logs that will be deleted within a week and are not imported as they are; null for none. `findNew`: those that are not. */
export async function findExpiring(
  place: Place,
  findNew: (files: readonly LogFile[]) => Promise<readonly LogFile[]>,
  now: number,
): Promise<HistoryState['expiring']> {
  const sink = new Findings()
  let count = 0
  let firstAt = Infinity
  for (const folder of claudeCode.locate(place)) {
    const days = await readRetention(join(dirname(folder), 'settings.json'), sink)
    let files: LogFile[] = []
    const compare = async () => {
      for (const { modifiedAt } of files.length === 0 ? [] : await findNew(files)) {
        count += 1
        firstAt = Math.min(firstAt, Math.max(modifiedAt + days * DAY_MS, now))
      }
      files = []
    }
    for await (const path of walkFiles([folder], { wants: isTranscript }, sink)) {
      const stats = await stat(path).catch(() => null)
      if (!stats || stats.mtimeMs + days * DAY_MS > now + NOTICE_DAYS * DAY_MS) continue
      files.push({ path, size: stats.size, modifiedAt: stats.mtimeMs })
      if (files.length === BATCH) await compare()
    }
    await compare()
  }
  return count === 0 ? null : { files: count, firstAt: new Date(firstAt).toISOString() }
}

async function readRetention(path: string, sink: Findings): Promise<number> {
  const days = (await readJsonFile(path, sink))?.cleanupPeriodDays
  return typeof days === 'number' && days >= 0 ? days : DEFAULT_DAYS
}

/** The tools of which any folder or file exists. */
export async function findTools(place: Place): Promise<HistoryTool[]> {
  const exists = await Promise.all(
    HISTORY_TOOLS.map(async (tool) => {
      const places = await Promise.allSettled(readers[tool].locate(place).map((path) => access(path)))
      return places.some(({ status }) => status === 'fulfilled')
    }),
  )
  return HISTORY_TOOLS.filter((_, index) => exists[index])
}
