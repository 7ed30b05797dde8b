// Past requests, as rules and limits are tried on them: own ones, and calls that agents have logged.
import { type Db, statement } from '../../../gateway/store/sql/statement.ts'
import { readSums } from '../../../gateway/store/sums/rollup-query.ts'
import type { AppliedPrice } from '../../../shared/api/requests.ts'
import type { AGENT_ROLES } from '../../../shared/api/terms.ts'

/** A request as the database has it: most are not changed, so their texts are not read. */
export interface PastRequest {
  /** Null for an imported one. */
  id: string | null
  createdAt: number
  settledAt: number
  keyId: string | null
  askedModel: string
  model: string
  provider: string
  program: string
  /** Its number; of an imported one, the id of the tool, a space and the tool's own id of the session. */
  session: string
  /** '' for the main agent. */
  agent: string
  role: (typeof AGENT_ROLES)[number] | null
  tag: string | null
  /** A sum of `REQUEST_NEEDS`; null where it was not recorded. */
  needs: number | null
  tokensIn: number
  /** JSON of the counts that are not zero; '' where it is not known. */
  usage: string
  costNano: number | null
  /** The number of the price; null for an imported one, whose price is that of the catalog. */
  price: number | null
  /** The tier of an imported one; null for the standard one. */
  tier: string | null
  /** JSON of StoredFacts; null where they were not recorded. */
  facts: string | null
}

export interface PastSpan {
  /** The rows at or after this time, and before `to`. */
  from: number
  to: number
  /** Only those of a key, which no imported call has; null for all. */
  keyId: string | null
  history: boolean
}

/** Both tables have an index by time. */
const rows = statement<Omit<PastSpan, 'history'> & { history: number }, PastRequest>(`
  SELECT requests.created_at AS createdAt, seq, id, ifnull(settled_at, requests.created_at) AS settledAt, key_id AS keyId,
    requested_model AS askedModel, ifnull(model, requested_model) AS model, ifnull(provider, '') AS provider,
    client_name AS program, CAST(ifnull(session, id) AS TEXT) AS session, ifnull(agent_id, '') AS agent, agent_role AS role, tag,
    needs, tokens_in AS tokensIn, ifnull(usage, '') AS usage, cost_nano AS costNano, price, NULL AS tier, facts
  FROM requests LEFT JOIN rule_facts ON request_id = id
  WHERE requests.created_at >= @from AND requests.created_at < @to AND (@keyId IS NULL OR key_id = @keyId)
    AND (usage IS NOT NULL OR cost_nano > 0) AND cost_status <> 'plan'
  UNION ALL
  SELECT created_at, seq, NULL, created_at, NULL, model, model, ifnull(provider, ''), tool, tool || ' ' || session,
    ifnull(agent, ''), NULL, project, NULL, input + cache_read + cache_write5m + cache_write1h,
    json_object('input', input, 'cacheRead', cache_read, 'cacheWrite5m', cache_write5m, 'cacheWrite1h', cache_write1h,
      'output', output, 'reasoning', reasoning, 'webSearches', web_searches), cost_nano, NULL, tier, NULL
  FROM imported_calls
  WHERE created_at >= @from AND created_at < @to AND @history AND @keyId IS NULL AND not_counted IS NULL
    AND (request_id IS NULL OR NOT EXISTS (SELECT 1 FROM requests WHERE id = imported_calls.request_id))
  ORDER BY createdAt, seq`)

/** The requests that have used tokens or cost something, the oldest first. */
function listPastRequests(db: Db, { history, ...span }: PastSpan): PastRequest[] {
  return rows(db).all({ ...span, history: history ? 1 : 0 })
}

export interface PastSum {
  keyId: string
  model: string
  provider: string
  /** '' for none. */
  tag: string
  nano: number
}

/** The spend before a time, which is the start of 15 minutes. */
function listPastSums(db: Db, to: number): PastSum[] {
  return readSums(db, {
    source: 'rollups',
    by: { keyId: 'key_id', model: 'model', provider: 'provider', tag: 'tag' },
    sums: { nano: 'sum(cost_nano)' },
    to,
  })
}

const allPrices = statement<[], { nr: number; price: string }>('SELECT nr, price FROM prices')

/** The prices of own requests, by their numbers. */
function listPastPrices(db: Db): [number, AppliedPrice][] {
  return allPrices(db)
    .all()
    .map(({ nr, price }) => [nr, JSON.parse(price)])
}

export const pastReads = { listPastRequests, listPastSums, listPastPrices }
