// Checks that work without the gateway.
import { lstatSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { readCrashes } from '../../host/crash/crash-reports.ts'
import { engineVersions } from '../../host/crash/run-note.ts'
import { crashDir } from '../../host/crash/write-report.ts'
import { appVersion } from '../../host/files.ts'
import { findSocket } from '../../host/find-socket.ts'
import { readPreferences } from '../../host/preferences.ts'
import { errorMessage } from '../../shared/values/text.ts'
import { formatMoment } from '../terminal/amounts.ts'
import { type Finding, failed, ok, warning } from './check-row.ts'

export function describeVersions(): Finding {
  return ok(`Tollgate ${appVersion()}, ${engineVersions()}, ${process.platform}`)
}

export function checkUpdates(dataDir: string): Finding {
  const { updates = 'ask', updateCheck } = readPreferences(dataDir)
  if (updateCheck === undefined) return ok('Tollgate has not looked for updates here')
  const when = formatMoment(updateCheck.at)
  if (updateCheck.version !== null && updateCheck.version !== appVersion())
    return warning(`${updateCheck.version} is available`, 'Install it: in the window, Settings → Updates.')
  if (updateCheck.problem !== null && updates !== 'off')
    return warning(`${updateCheck.problem} (${when})`, 'Try it again: in the window, Settings → Updates.')
  return ok(`none newer at ${when}${updates === 'off' ? '; they are off' : ''}`)
}

const RECENT_MS = 7 * 24 * 3_600_000

export function checkLastRun(dataDir: string): Finding {
  const [report] = readCrashes(dataDir).filter(({ at }) => Date.now() - Date.parse(at) < RECENT_MS)
  if (!report) return ok('no crash in the last 7 days')
  return warning(
    `${formatMoment(report.at)}: ${report.summary}`,
    `Read the report, and add it to a bug report if this happens again: ${join(crashDir(dataDir), report.id)}.json`,
  )
}

export function checkFolder(dataDir: string): Finding {
  const found = lstatSync(dataDir, { throwIfNoEntry: false })
  if (!found)
    return failed(`${dataDir} does not exist yet`, 'Start Tollgate once, or give another: --data-dir')
  if (!found.isDirectory()) return failed(`${dataDir} is not a folder`, 'Give another: --data-dir')
  if (process.getuid === undefined) return ok(dataDir)
  if (found.uid !== process.getuid())
    return failed(`${dataDir} belongs to another user`, 'Run this as the user who starts Tollgate.')
  return (found.mode & 0o077) === 0
    ? ok(`${dataDir}, only for you`)
    : failed(`${dataDir} can be read by others`, `Run: chmod 700 '${dataDir}'`)
}

/** Below that, SQLite may fail to write within days. */
const LOW_DISK_BYTES = 500_000_000
/** Below that, it may fail at the next request. */
const NO_DISK_BYTES = 50_000_000

export function checkDisk(dataDir: string): Finding {
  try {
    const { bavail, bsize } = statfsSync(dataDir)
    const free = bavail * bsize
    const text = `${(free / 1e9).toFixed(1)} GB free`
    if (free >= LOW_DISK_BYTES) return ok(text)
    return (free < NO_DISK_BYTES ? failed : warning)(
      text,
      'Free some space: without it no request can be recorded, and none is served.',
    )
  } catch (error) {
    return failed(errorMessage(error), 'Check that the disk with the data folder is there.')
  }
}

export function checkSocket(dataDir: string): Finding {
  try {
    const path = findSocket(dataDir)
    return path === null
      ? failed('Tollgate is not running', 'Start the desktop app, or: tollgate serve')
      : ok(`${path}, only for you`)
  } catch (error) {
    return failed('it cannot be used', errorMessage(error))
  }
}
