// Reads the reports of crashes in the data dir.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CrashReport } from '../../shared/desktop/crashes.ts'
import { crashDir, listCrashes, writeCrash } from './write-report.ts'

/** Newest first. */
export function readCrashes(dataDir: string): CrashReport[] {
  return listCrashes(dataDir).flatMap((id) => {
    try {
      return [CrashReport.parse(JSON.parse(readFileSync(join(crashDir(dataDir), `${id}.json`), 'utf8')))]
    } catch {
      return []
    }
  })
}

export function markCrashesSeen(dataDir: string): void {
  for (const report of readCrashes(dataDir)) if (!report.seen) writeCrash(dataDir, { ...report, seen: true })
}
