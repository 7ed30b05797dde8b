// The checks of `tollgate doctor` and of the window's diagnostics, in their order.

import { existsSync, lstatSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { damageNotePath } from '../../gateway/compose/host-api.ts'
import { crashDir, engineVersions, readCrashes } from '../../host/crash-reports.ts'
import { appVersion } from '../../host/files.ts'
import { findSocket } from '../../host/find-socket.ts'
import { keychainCredentials } from '../../host/keychain.ts'
import { readPreferences } from '../../host/preferences.ts'
import { errorMessage } from '../../shared/values/text.ts'
import { formatDuration, formatMoment } from '../terminal/amounts.ts'
import { type CheckRow, type Facts, failed, ok, warning } from './check-row.ts'

const RECENT_MS = 7 * 24 * 3_600_000

/** Below that, SQLite may fail to write within days. */
const LOW_DISK_BYTES = 500_000_000
/** Below that, it may fail at the next request. */
const NO_DISK_BYTES = 50_000_000

/** A request may seem to be so far in the future, and a provider's clock so far away. */
const CLOCK_TOLERANCE_MS = 60_000
const SET_CLOCK = 'Set the clock of this computer. Until then caps per day and month begin at the wrong time.'

/** The checks that work without the gateway, by its data folder. */
export const computerChecks: readonly CheckRow<string>[] = [
  {
    name: 'Version',
    meaning: 'What a bug report has to say.',
    examine: () => ok(`Tollgate ${appVersion()}, ${engineVersions()}, ${process.platform}`),
  },
  {
    name: 'Updates',
    meaning: 'Newer versions have corrections, also of security.',
    examine(dataDir) {
      const { updates = 'ask', updateCheck } = readPreferences(dataDir)
      if (updateCheck === undefined) return ok('Tollgate has not looked for updates here')
      const when = formatMoment(updateCheck.at)
      if (updateCheck.version !== null && updateCheck.version !== appVersion())
        return warning(
          `${updateCheck.version} is available`,
          'Install it: in the window, Settings → Updates.',
        )
      if (updateCheck.problem !== null && updates !== 'off')
        return warning(`${updateCheck.problem} (${when})`, 'Try it again: in the window, Settings → Updates.')
      return ok(`none newer at ${when}${updates === 'off' ? '; they are off' : ''}`)
    },
  },
  {
    name: 'Last runs',
    meaning: 'A run that ends unexpectedly loses no charge, but something is wrong.',
    examine(dataDir) {
      const [report] = readCrashes(dataDir).filter(({ at }) => Date.now() - Date.parse(at) < RECENT_MS)
      if (!report) return ok('no crash in the last 7 days')
      return warning(
        `${formatMoment(report.at)}: ${report.summary}`,
        `Read the report, and add it to a bug report if this happens again: ${join(crashDir(dataDir), report.id)}.json`,
      )
    },
  },
  {
    name: 'Data folder',
    meaning: 'It has your keys and your spend, and must be readable by you alone.',
    examine(dataDir) {
      const stats = lstatSync(dataDir, { throwIfNoEntry: false })
      if (!stats)
        return failed(`${dataDir} does not exist yet`, 'Start Tollgate once, or give another: --data-dir')
      if (!stats.isDirectory()) return failed(`${dataDir} is not a folder`, 'Give another: --data-dir')
      if (process.getuid === undefined) return ok(dataDir)
      if (stats.uid !== process.getuid())
        return failed(`${dataDir} belongs to another user`, 'Run this as the user who starts Tollgate.')
      return (stats.mode & 0o077) === 0
        ? ok(`${dataDir}, only for you`)
        : failed(`${dataDir} can be read by others`, `Run: chmod 700 '${dataDir}'`)
    },
  },
  {
    name: 'Disk',
    meaning: 'Each request is recorded before its answer ends.',
    examine(dataDir) {
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
    },
  },
  {
    name: 'Socket',
    meaning: 'The command line reaches the gateway through it.',
    examine(dataDir) {
      try {
        const path = findSocket(dataDir)
        return path === null
          ? failed('Tollgate is not running', 'Start the desktop app, or: tollgate serve')
          : ok(`${path}, only for you`)
      } catch (error) {
        return failed('it cannot be used', errorMessage(error))
      }
    },
  },
]

export const gatewayChecks: readonly CheckRow<Facts>[] = [
  {
    name: 'Gateway',
    meaning: 'The command and the gateway should be of the same version.',
    examine({ info }) {
      const running = `${info.version}, since ${formatMoment(info.startedAt)}`
      return info.version === appVersion()
        ? ok(running)
        : warning(
            running,
            `This command is version ${appVersion()}. Restart Tollgate, or update the older one.`,
          )
    },
  },
  {
    name: 'Port',
    meaning: 'Tools call models through it.',
    async examine({ info: { baseUrl } }) {
      const advice = 'Choose another port: in Settings, or with tollgate serve --port'
      if (new URL(baseUrl).port === '0') return failed('the gateway does not listen', advice)
      try {
        const { ok: isOk, status } = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(5_000) })
        return isOk ? ok(baseUrl) : failed(`${baseUrl} answers with HTTP ${status}`, advice)
      } catch {
        return failed(`${baseUrl} does not answer`, 'A firewall or a security program may block it.')
      }
    },
  },
  {
    name: 'Network',
    meaning: 'Providers outside this network are called through it.',
    examine({ network: { isUsed, proxies, certificateProblem } }) {
      const names = proxies.map(({ address, source }) => `${address} (${source})`).join(', ')
      if (!isUsed)
        return ok(names === '' ? 'direct, without a proxy' : `direct; a proxy is not used: ${names}`)
      const broken = proxies.find(({ problem }) => problem !== null)
      if (broken)
        return failed(
          `${broken.address}: ${broken.problem}`,
          'See "Behind a company\'s network" in the help.',
        )
      const proxyText = names === '' ? 'no proxy is set' : `through ${names}`
      return certificateProblem === null
        ? ok(`${proxyText}, with the certificates of this computer`)
        : warning(
            `${proxyText}. ${certificateProblem}`,
            'Correct the variable, or update Node.js, and restart Tollgate.',
          )
    },
  },
  {
    name: 'Credentials',
    meaning: 'Without them no provider can be called.',
    async examine({ info }) {
      if (info.credentials === 'env') return ok('from the environment of the gateway')
      if (info.credentials === 'memory') return ok('in memory, until the gateway is stopped')
      try {
        await keychainCredentials({ limitMs: 5_000 }).get('doctor')
        return ok('in the keychain, which is unlocked')
      } catch (error) {
        return failed('the keychain cannot be used', errorMessage(error))
      }
    },
  },
  {
    name: 'Clock',
    meaning: 'It decides to which day and month a request belongs.',
    examine({ newestRequestAt, account, info: { clockSkewMs } }) {
      const ahead = newestRequestAt === undefined ? 0 : Date.parse(newestRequestAt) - Date.now()
      if (ahead > CLOCK_TOLERANCE_MS)
        return warning(`the last request is ${formatDuration(ahead)} in the future`, SET_CLOCK)
      if (clockSkewMs !== null && Math.abs(clockSkewMs) > CLOCK_TOLERANCE_MS) {
        const direction = clockSkewMs > 0 ? 'ahead of' : 'behind'
        return warning(
          `${formatDuration(Math.abs(clockSkewMs))} ${direction} the provider that answered last`,
          SET_CLOCK,
        )
      }
      const agreed = clockSkewMs === null ? '' : ', in sync with the last provider response'
      return ok(`${formatMoment(new Date().toISOString())}${agreed}; days are those of ${account.timeZone}`)
    },
  },
  {
    name: 'Database',
    meaning: 'It has every charge.',
    examine: ({ dataDir }) =>
      existsSync(damageNotePath(dataDir))
        ? failed(
            'damage was found',
            'Restart Tollgate: it checks the database, and restores the last backup if it must.',
          )
        : ok('readable; it is checked for damage once a day'),
  },
  {
    name: 'Requests',
    meaning: 'While they are paused, no model is called.',
    examine: ({ account }) =>
      account.pausedAt === null
        ? ok('served, not paused')
        : warning(
            `paused since ${formatMoment(account.pausedAt)}`,
            'Resume them in the window, or with: tollgate resume',
          ),
  },
  {
    name: 'Prices',
    meaning: 'Costs are computed with them.',
    examine: ({ prices }) =>
      prices.stale
        ? warning(`of ${prices.asOf}`, 'Update them in the window, under Models.')
        : ok(`of ${prices.asOf}, ${prices.modelCount} models`),
  },
]
