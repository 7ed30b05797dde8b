import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { TestClient } from '../../gateway/testing/gateway.ts'
import { Account } from '../../shared/api/account.ts'
import { RequestRecord } from '../../shared/api/requests.ts'
import type { Findings } from '../findings.ts'

const QUIET_MS = 15_000
/** No request of a hundred bytes can cost more than this, whatever its response reports. */
const IMPLAUSIBLE_USD = 1_000

/** Rows as the API returns them: an invalid one is a finding. */
const Row = z.looseObject({ client: z.string().nullable(), provider: z.string().nullable() })
type Row = z.infer<typeof Row>
const Page = z.object({ data: z.array(Row), nextCursor: z.string().nullable() })

/** After a batch: nothing may be reserved or running, and no charge may be negative or implausible. */
export async function checkLedger(
  client: TestClient,
  findings: Findings,
  rows: number,
  verbose: boolean,
): Promise<void> {
  const account = async () => Account.parse((await client.call('GET', '/v1/account')).json)
  const until = performance.now() + QUIET_MS
  while ((await account()).reservedUsd !== 0 && performance.now() < until) await delay(100)
  let cursor: string | null = ''
  for (let read = 0; read < rows && cursor !== null; ) {
    const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = Page.parse((await client.call('GET', `/v1/requests?limit=500${next}`)).json)
    for (const row of page.data) {
      read++
      if (verbose) console.log(JSON.stringify(row))
      const flaw = findRowFlaw(row)
      if (flaw !== null)
        findings.add(
          `${row.provider}: ${flaw}`,
          JSON.stringify(row),
          Number(row.client?.slice('case-'.length)),
        )
    }
    cursor = page.nextCursor
  }
  const { reservedUsd } = await account()
  if (reservedUsd !== 0) findings.add('a reservation without a request in flight', `$${reservedUsd}`)
}

function findRowFlaw(row: Row): string | null {
  const record = RequestRecord.safeParse(row)
  if (!record.success) {
    const [issue] = record.error.issues
    return `a row with a wrong ${issue?.path.map((step) => (typeof step === 'number' ? 'N' : String(step))).join('.')}`
  }
  const { status, costUsd, costStatus, tokensOut, stream } = record.data
  if (status === 'running') return 'a row left running'
  if (costUsd === null) return 'a charge without a price'
  if (costUsd < 0) return 'a negative charge'
  if (costUsd > IMPLAUSIBLE_USD) return `an implausible charge with status ${costStatus}`
  if (status === 'succeeded' && costStatus === 'exact' && costUsd === 0) {
    return `a response without a cost (${stream ? 'stream' : 'plain'}, ${tokensOut === 0 ? 'no' : 'some'} tokens out)`
  }
  return null
}
