// What `tollgate doctor` looks at. Each check says what it found and, if that is a problem, what to do.
import { lstatSync, statfsSync } from 'node:fs'
import { errorMessage } from '../../shared/error-message.ts'
import type { ProviderRecord } from '../../shared/providers.ts'
import { appVersion } from '../files.ts'
import { findSocket } from '../find-socket.ts'
import type { GatewayClient } from '../gateway-client.ts'
import { keychainCredentials } from '../keychain.ts'
import { formatDuration, formatMoment } from '../terminal/amounts.ts'

export interface Check {
  name: string
  ok: boolean
  found: string
  /** What to do; null where nothing is. */
  advice: string | null
}

type Report = (check: Check) => void

/** Checks all but the providers, and returns whether the gateway runs. */
export async function checkSurroundings(client: GatewayClient, report: Report): Promise<boolean> {
  report(good('Version', `Tollgate ${appVersion()}, Node.js ${process.versions.node}, ${process.platform}`))
  const folder = checkFolder(client.dataDir)
  report(folder)
  if (folder.ok) report(checkDisk(client.dataDir))
  const socket = checkSocket(client.dataDir)
  report(socket)
  if (!socket.ok) return false
  try {
    for (const check of await checkGateway(client)) report(check)
    return true
  } catch (error) {
    report(bad('Gateway', errorMessage(error), 'If the process hangs, end it and start Tollgate again.'))
    return false
  }
}

function good(name: string, found: string): Check {
  return { name, ok: true, found, advice: null }
}

function bad(name: string, found: string, advice: string): Check {
  return { name, ok: false, found, advice }
}

function checkFolder(dataDir: string): Check {
  const found = lstatSync(dataDir, { throwIfNoEntry: false })
  if (!found)
    return bad(
      'Data folder',
      `${dataDir} does not exist yet`,
      'Start Tollgate once, or give another: --data-dir',
    )
  if (!found.isDirectory())
    return bad('Data folder', `${dataDir} is not a folder`, 'Give another: --data-dir')
  if (process.getuid === undefined) return good('Data folder', dataDir)
  if (found.uid !== process.getuid())
    return bad(
      'Data folder',
      `${dataDir} belongs to another user`,
      'Run this as the user who starts Tollgate.',
    )
  return (found.mode & 0o077) === 0
    ? good('Data folder', `${dataDir}, only for you`)
    : bad('Data folder', `${dataDir} can be read by others`, `Run: chmod 700 '${dataDir}'`)
}

/** Below that, SQLite may fail to write within days. */
const LOW_DISK_BYTES = 500_000_000

function checkDisk(dataDir: string): Check {
  try {
    const { bavail, bsize } = statfsSync(dataDir)
    const free = bavail * bsize
    const text = `${(free / 1e9).toFixed(1)} GB free`
    return free >= LOW_DISK_BYTES
      ? good('Disk', text)
      : bad('Disk', text, 'Free some space: without it no request can be recorded, and none is served.')
  } catch (error) {
    return bad('Disk', errorMessage(error), 'Check that the disk with the data folder is there.')
  }
}

const START = 'Start the desktop app, or: tollgate serve'

function checkSocket(dataDir: string): Check {
  try {
    const path = findSocket(dataDir)
    return path === null
      ? bad('Socket', 'Tollgate is not running', START)
      : good('Socket', `${path}, only for you`)
  } catch (error) {
    return bad('Socket', 'it cannot be used', errorMessage(error))
  }
}

async function checkGateway(client: GatewayClient): Promise<Check[]> {
  const [info, account, prices, requests] = await Promise.all([
    client.call('getGateway'),
    client.call('getAccount'),
    client.call('getPrices'),
    client.call('listRequests', { query: { limit: 1 } }),
  ])
  const running = `${info.version}, since ${formatMoment(info.startedAt)}`
  const isSame = info.version === appVersion()
  return [
    isSame
      ? good('Gateway', running)
      : bad(
          'Gateway',
          running,
          `This command is version ${appVersion()}. Restart Tollgate, or update the older one.`,
        ),
    await checkPort(info.baseUrl),
    await checkKeychain(info.credentials),
    checkClock(requests.data[0]?.createdAt, account.timeZone),
    account.pausedAt === null
      ? good('Requests', 'are served')
      : bad('Requests', `are paused since ${formatMoment(account.pausedAt)}`, 'Resume them in the window.'),
    prices.stale
      ? bad('Prices', `of ${prices.asOf}`, 'Update them in the window, under Models.')
      : good('Prices', `of ${prices.asOf}, ${prices.modelCount} models`),
  ]
}

async function checkPort(baseUrl: string): Promise<Check> {
  const advice = 'Choose another port: in Settings, or with tollgate serve --port'
  if (new URL(baseUrl).port === '0') return bad('Port', 'the gateway does not listen', advice)
  try {
    const { ok, status } = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(5_000) })
    return ok ? good('Port', baseUrl) : bad('Port', `${baseUrl} answers with HTTP ${status}`, advice)
  } catch {
    return bad('Port', `${baseUrl} does not answer`, 'A firewall or a security program may block it.')
  }
}

async function checkKeychain(kind: 'keychain' | 'memory' | 'env'): Promise<Check> {
  if (kind === 'env') return good('Credentials', 'from the environment of the gateway')
  if (kind === 'memory') return good('Credentials', 'in memory, until the gateway is stopped')
  try {
    await keychainCredentials({ limitMs: 5_000 }).get('doctor')
    return good('Credentials', 'in the keychain, which is unlocked')
  } catch (error) {
    return bad('Credentials', 'the keychain cannot be used', errorMessage(error))
  }
}

/** How far a request may seem to be in the future. */
const CLOCK_TOLERANCE_MS = 60_000

function checkClock(newest: string | undefined, timeZone: string): Check {
  const ahead = newest === undefined ? 0 : Date.parse(newest) - Date.now()
  return ahead <= CLOCK_TOLERANCE_MS
    ? good('Clock', `${formatMoment(new Date().toISOString())}, days are those of ${timeZone}`)
    : bad(
        'Clock',
        `the last request is ${formatDuration(ahead)} in the future`,
        'Set the clock of this computer.',
      )
}

export async function checkProviders(client: GatewayClient, calls: boolean, report: Report): Promise<void> {
  const { data } = await client.call('listProviders')
  const used = data.filter(({ configured, enabled }) => configured && enabled)
  if (used.length === 0) report(bad('Providers', 'none is set up', 'Add one in the window, under Providers.'))
  const checks = used.map((provider) => (calls ? callProvider(client, provider) : checkProvider(provider)))
  for (const check of checks) report(await check)
}

function checkProvider({ id, name, health, modelCount }: ProviderRecord): Check {
  if (health.state === 'no-credential')
    return bad(id, `${name} has no credential`, 'Enter it in the window, under Providers.')
  return health.lastError === null
    ? good(id, `${name}, ${modelCount} models`)
    : bad(id, `${name}: ${health.lastError}`, `Try it: tollgate providers test ${id}`)
}

async function callProvider(client: GatewayClient, { id, name }: ProviderRecord): Promise<Check> {
  const { ok, latencyMs, modelCount, error } = await client.call('testProvider', { params: { id } })
  return ok
    ? good(id, `${name}, ${modelCount} models in ${formatDuration(latencyMs)}`)
    : bad(id, `${name} does not work`, error ?? 'Check its base URL and credential in the window.')
}
