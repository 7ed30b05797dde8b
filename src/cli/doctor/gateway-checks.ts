// Checks of a running gateway.
import { existsSync } from 'node:fs'
import { damageNotePath } from '../../gateway/store/engine/files.ts'
import { appVersion } from '../../host/files.ts'
import { keychainCredentials } from '../../host/keychain.ts'
import { errorMessage } from '../../shared/values/text.ts'
import { formatDuration, formatMoment } from '../terminal/amounts.ts'
import { type Finding, failed, ok, warning } from './check-row.ts'
import type { Facts } from './gateway-facts.ts'

export function checkVersion({ info }: Facts): Finding {
  const running = `${info.version}, since ${formatMoment(info.startedAt)}`
  return info.version === appVersion()
    ? ok(running)
    : warning(running, `This command is version ${appVersion()}. Restart Tollgate, or update the older one.`)
}

export async function checkPort({ info: { baseUrl } }: Facts): Promise<Finding> {
  const advice = 'Choose another port: in Settings, or with tollgate serve --port'
  if (new URL(baseUrl).port === '0') return failed('the gateway does not listen', advice)
  try {
    const { ok: isOk, status } = await fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(5_000) })
    return isOk ? ok(baseUrl) : failed(`${baseUrl} answers with HTTP ${status}`, advice)
  } catch {
    return failed(`${baseUrl} does not answer`, 'A firewall or a security program may block it.')
  }
}

export function checkNetwork({ network: { isUsed, proxies, certificateProblem } }: Facts): Finding {
  const names = proxies.map(({ address, source }) => `${address} (${source})`).join(', ')
  if (!isUsed) return ok(names === '' ? 'direct, without a proxy' : `direct; a proxy is not used: ${names}`)
  const broken = proxies.find(({ problem }) => problem !== null)
  if (broken)
    return failed(`${broken.address}: ${broken.problem}`, 'See "Behind a company\'s network" in the help.')
  const found = names === '' ? 'no proxy is set' : `through ${names}`
  return certificateProblem === null
    ? ok(`${found}, with the certificates of this computer`)
    : warning(
        `${found}. ${certificateProblem}`,
        'Correct the variable, or update Node.js, and restart Tollgate.',
      )
}

export async function checkCredentials({ info }: Facts): Promise<Finding> {
  if (info.credentials === 'env') return ok('from the environment of the gateway')
  if (info.credentials === 'memory') return ok('in memory, until the gateway is stopped')
  try {
    await keychainCredentials({ limitMs: 5_000 }).get('doctor')
    return ok('in the keychain, which is unlocked')
  } catch (error) {
    return failed('the keychain cannot be used', errorMessage(error))
  }
}

/** A request may seem to be so far in the future, and a provider's clock so far away. */
const CLOCK_TOLERANCE_MS = 60_000
const SET_CLOCK = 'Set the clock of this computer. Until then caps per day and month begin at the wrong time.'

export function checkClock({ newestRequestAt, account, info: { clockSkewMs } }: Facts): Finding {
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
}

export function checkDatabase({ dataDir }: Facts): Finding {
  return existsSync(damageNotePath(dataDir))
    ? failed(
        'damage was found',
        'Restart Tollgate: it checks the database, and restores the last backup if it must.',
      )
    : ok('readable; it is checked for damage once a day')
}

export function checkPause({ account }: Facts): Finding {
  return account.pausedAt === null
    ? ok('served, not paused')
    : warning(
        `paused since ${formatMoment(account.pausedAt)}`,
        'Resume them in the window, or with: tollgate resume',
      )
}

export function checkPrices({ prices }: Facts): Finding {
  return prices.stale
    ? warning(`of ${prices.asOf}`, 'Update them in the window, under Models.')
    : ok(`of ${prices.asOf}, ${prices.modelCount} models`)
}
