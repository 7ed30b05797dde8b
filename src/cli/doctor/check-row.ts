import type { GatewayClient } from '../../host/gateway-client.ts'
import type { Account, GatewayInfo, NetworkStatus } from '../../shared/api/account.ts'
import type { PriceStatus } from '../../shared/api/pricing.ts'
import type { Check } from '../../shared/desktop/checks.ts'

/** The result of a check. */
export type Finding = Pick<Check, 'state' | 'found' | 'advice'>

export interface CheckName {
  name: string
  /** Why it matters. */
  meaning: string
}

/** A row of a table of checks, which examine a data folder or what the gateway reports. */
export interface CheckRow<Subject> extends CheckName {
  examine(subject: Subject): Finding | Promise<Finding>
}

export function ok(found: string): Finding {
  return { state: 'ok', found, advice: null }
}

/** It works, but something should be done. */
export function warning(found: string, advice: string): Finding {
  return { state: 'warning', found, advice }
}

export function failed(found: string, advice: string): Finding {
  return { state: 'failed', found, advice }
}

export function toCheck({ name, meaning }: CheckName, finding: Finding): Check {
  return { name, ok: finding.state === 'ok', ...finding, meaning }
}

/** The facts that a running gateway reports about itself. */
export interface Facts {
  dataDir: string
  info: GatewayInfo
  account: Account
  prices: PriceStatus
  network: NetworkStatus
  /** When the newest request was made. */
  newestRequestAt: string | undefined
}

export async function readFacts(client: GatewayClient): Promise<Facts> {
  const [info, account, prices, network, requests] = await Promise.all([
    client.call('getGateway'),
    client.call('getAccount'),
    client.call('getPrices'),
    client.call('getNetwork'),
    client.call('listRequests', { query: { limit: 1 } }),
  ])
  const { dataDir } = client
  return { dataDir, info, account, prices, network, newestRequestAt: requests.data[0]?.createdAt }
}
