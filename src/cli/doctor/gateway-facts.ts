import type { GatewayClient } from '../../host/gateway-client.ts'
import type { Account, GatewayInfo, NetworkStatus } from '../../shared/api/account.ts'
import type { PriceStatus } from '../../shared/api/pricing.ts'

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
