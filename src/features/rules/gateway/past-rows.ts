// Past requests, as rules are tried on them: own ones, and those that were read from the logs of agents.
import { type Db, statement } from '../../../gateway/store/sql/statement.ts'
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
  session: string
  /** '' for the main agent. */
  agent: string
  role: (typeof AGENT_ROLES)[number] | null
  tag: string | null
  /** A sum of `REQUEST_NEEDS`; null where it was not recorded. */
  needs: number | null
  tokensIn: number
  /** JSON of the counts that are not zero. */
  usage: string
  costNano: number | null
  /** The number of the price; null for an imported one, whose price is that of the catalog. */
  price: number | null
  /** The tier of an imported one; null for the standard one. */
  tier: string | null
  /** JSON of StoredFacts; null where they were not recorded. */
  facts: string | null
}

export interface PastPage {
  /** The oldest first. */
  rows: PastRequest[]
  /** Null after the last page. */
  next: number | null
}

const PAGE = 4_000

type Row = PastRequest & { seq: number }

const ownPage = statement<[number, number, number], Row>(`
  SELECT seq, id, requests.created_at AS createdAt, ifnull(settled_at, requests.created_at) AS settledAt, key_id AS keyId,
    requested_model AS askedModel, ifnull(model, requested_model) AS model, ifnull(provider, '') AS provider,
    client_name AS program, CAST(session AS TEXT) AS session, ifnull(agent_id, '') AS agent, agent_role AS role, tag, needs,
    tokens_in AS tokensIn, usage, cost_nano AS costNano, price, NULL AS tier, facts
  FROM requests LEFT JOIN rule_facts ON request_id = id
  WHERE seq > ? AND requests.created_at >= ? AND usage IS NOT NULL AND cost_status <> 'plan' ORDER BY seq LIMIT ?`)
const firstSeq = statement<[number], { seq: number }>(
  'SELECT seq FROM requests WHERE created_at >= ? ORDER BY created_at, seq LIMIT 1',
)
const allPrices = statement<[], { nr: number; price: string }>('SELECT nr, price FROM prices')

/** The prices of own requests, by their numbers. */
function listPastPrices(db: Db): [number, AppliedPrice][] {
  return allPrices(db)
    .all()
    .map(({ nr, price }) => [nr, JSON.parse(price)])
}

/** Own requests that have used tokens, from a time on. `after`: the `next` of the page before; 0 for the first. */
function listPastRequests(db: Db, { from, after }: { from: number; after: number }): PastPage {
  const previous = after === 0 ? (firstSeq(db).get(from)?.seq ?? 1) - 1 : after
  return createPage(ownPage(db).all(previous, from, PAGE))
}

function createPage(rows: Row[]): PastPage {
  return { rows, next: rows.length < PAGE ? null : (rows.at(-1)?.seq ?? null) }
}

const importedPage = statement<[number, number, number], Row>(`
  SELECT seq, NULL AS id, created_at AS createdAt, created_at AS settledAt, NULL AS keyId, model AS askedModel, model,
    ifnull(provider, '') AS provider, tool AS program, tool || ' ' || session AS session, ifnull(agent, '') AS agent,
    NULL AS role, project AS tag, NULL AS needs, input + cache_read + cache_write5m + cache_write1h AS tokensIn,
    json_object('input', input, 'cacheRead', cache_read, 'cacheWrite5m', cache_write5m, 'cacheWrite1h', cache_write1h,
      'output', output, 'reasoning', reasoning, 'webSearches', web_searches) AS usage,
    cost_nano AS costNano, NULL AS price, tier, NULL AS facts
  FROM imported_calls
  WHERE seq > ? AND created_at >= ? AND not_counted IS NULL
    AND (request_id IS NULL OR NOT EXISTS (SELECT 1 FROM requests WHERE id = imported_calls.request_id))
  ORDER BY seq LIMIT ?`)

/** Calls that agents have logged, like `listPastRequests`; those of one session are in their order. */
function listPastImports(db: Db, { from, after }: { from: number; after: number }): PastPage {
  return createPage(importedPage(db).all(after, from, PAGE))
}

export const pastReads = { listPastPrices, listPastRequests, listPastImports }
