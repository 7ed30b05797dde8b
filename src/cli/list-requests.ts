import type { GatewayClient } from '../host/gateway-client.ts'
import type { RequestQuery } from '../shared/api/request-queries.ts'
import type { RequestRecord } from '../shared/api/requests.ts'

/** All records that match, newest first. */
export async function listAllRequests(
  client: GatewayClient,
  filter: Partial<Pick<RequestQuery, 'key' | 'session' | 'batch'>>,
): Promise<RequestRecord[]> {
  const records: RequestRecord[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.call('listRequests', {
      query: { ...filter, limit: 500, cursor },
    })
    records.push(...page.data)
    cursor = page.nextCursor
  }
  return records
}
