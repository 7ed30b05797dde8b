// Sums of requests by the credential with which they were sent.
import type { StorePart } from '../../../gateway/store/part.ts'
import { setFeatureField } from '../../../gateway/store/rows/request-columns.ts'
import { type Db, statement } from '../../../gateway/store/sql/statement.ts'

interface CredentialSum {
  id: string
  requests: number
  nano: number
  tokensIn: number
  tokensCached: number
}

const sums = statement<[string, number], CredentialSum>(`
  SELECT features ->> '$.credential' AS id, count(*) AS requests, ifnull(sum(cost_nano), 0) AS nano,
    sum(tokens_in) AS tokensIn, ifnull(sum(usage ->> '$.cacheRead'), 0) AS tokensCached
  FROM requests WHERE provider = ? AND created_at >= ? AND features ->> '$.credential' IS NOT NULL
  GROUP BY 1 ORDER BY 1`)

function recordCredential(db: Db, requestId: string, credentialId: string): void {
  setFeatureField(db, requestId, 'credential', credentialId)
}

/** `from`: epoch milliseconds. */
function sumCredentials(db: Db, provider: string, from: number): CredentialSum[] {
  return sums(db).all(provider, from)
}

export const credentialRows = {
  name: 'credential-use',
  writes: { recordCredential },
  reads: { sumCredentials },
} satisfies StorePart

declare module '../../../gateway/store/calls.ts' {
  interface Writes extends Readonly<typeof credentialRows.writes> {}
  interface Reads extends Readonly<typeof credentialRows.reads> {}
}
