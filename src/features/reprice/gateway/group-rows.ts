// Sums of what the requests of a time used, in groups of those that any model would serve and price alike. A price depends on
// the length of a single prompt, and whether a model can serve a request on its size: these are classes of the groups.

import { getOrCreate } from '../../../gateway/platform/maps.ts'
import type { StorePart } from '../../../gateway/store/part.ts'
import { type NamedCounts, readUsage } from '../../../gateway/store/rows/request-columns.ts'
import { type Db, statement } from '../../../gateway/store/sql/statement.ts'
import { IS_SETTLED } from '../../../gateway/store/sums/rollup-columns.ts'
import { END_OF_TIME } from '../../../gateway/store/sums/rollup-query.ts'
import type { AppliedPrice, CostStatus, UsageBuckets } from '../../../shared/api/requests.ts'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'

/** Ascending: the class of a size is the number of these that it exceeds. */
export interface SizeLimits {
  prompt: readonly number[]
  output: readonly number[]
  /** The limits of prompt and output together. */
  total: readonly number[]
}

interface RequestGroupFilter {
  /** Inclusive. */
  from?: number
  /** Exclusive. */
  to?: number
  sizes: SizeLimits
}

/** The buckets counted in a group besides the tokens that every request has. */
const RARE_BUCKETS = [
  'audioInput',
  'audioOutput',
  'cacheReadAudio',
  'imageInput',
  'imageOutput',
  'cacheReadImage',
  'audioSeconds',
  'characters',
  'images',
  'searches',
  'webSearches',
  'fileSearches',
] as const satisfies readonly (keyof UsageBuckets)[]

export interface RequestGroup {
  keyId: string
  /** The name of the calling program; '' for none. */
  client: string
  /** '' for none. */
  tag: string
  model: string
  provider: string
  endpoint: string | null
  /** The tier (`service_tier`) in which they were served; null for the standard one. */
  tier: string | null
  /** A sum of `REQUEST_NEEDS`; null where it was not recorded. */
  needs: number | null
  /** The classes of the sizes. */
  prompt: number
  output: number
  total: number
  /** Which of the buckets that most requests leave empty are not, as bits. */
  rare: number
  /** False: nothing was charged, because the model had no price. */
  priced: boolean
  requests: number
  /** How many of them have tokens or a cost that is not certain. */
  estimated: number
  chargedNano: number
  usage: NamedCounts
}

/** A row as a list of its columns, which SQLite returns faster than an object. */
type Row = [
  keyId: string,
  model: string,
  provider: string | null,
  client: string,
  tag: string | null,
  endpoint: string | null,
  price: number | null,
  needs: number | null,
  tokensIn: number,
  tokensOut: number,
  usage: string,
  costNano: number | null,
  costStatus: CostStatus,
]

// Failed requests that cost nothing were served by no model.
const listRows = statement<[number, number], Row>(`
  SELECT key_id, coalesce(model, requested_model), provider, client_name, tag, endpoint, price, needs,
    tokens_in, tokens_out, usage, cost_nano, cost_status
  FROM requests
  WHERE created_at >= ? AND created_at < ? AND usage IS NOT NULL AND ${IS_SETTLED} AND cost_status <> 'free'`)

const CERTAIN: ReadonlySet<CostStatus> = new Set(['exact', 'confirmed'])
const selectPrice = statement<[number], { price: string }>('SELECT price FROM prices WHERE nr = ?')

/** The settled requests of the log that were made in the range and may have been billed. */
function groupRequests(db: Db, { from = 0, to = END_OF_TIME, sizes }: RequestGroupFilter): RequestGroup[] {
  const tiers = new Map<number | null, string | null>()
  const groups = new Map<string, RequestGroup>()
  for (const row of listRows(db).raw().iterate(from, to)) {
    const [
      keyId,
      model,
      provider,
      client,
      tag,
      endpoint,
      price,
      needs,
      tokensIn,
      tokensOut,
      usage,
      cost,
      status,
    ] = row
    const buckets = readUsage(usage)
    const prompt = findClass(tokensIn, sizes.prompt)
    const output = findClass(tokensOut, sizes.output)
    const total = findClass(tokensIn + tokensOut, sizes.total)
    const tier = getOrCreate(tiers, price, () => readTier(db, price))
    const rare = computeRare(buckets)
    const place = `${keyId} ${model} ${provider} ${endpoint} ${needs} ${prompt} ${output} ${total} ${rare} ${cost === null} ${tier} ${tag} ${client}`
    let group = groups.get(place)
    if (!group) {
      group = {
        keyId,
        model,
        client,
        endpoint,
        provider: provider ?? '',
        tag: tag ?? '',
        tier,
        needs,
        prompt,
        output,
        total,
        rare,
        priced: cost !== null,
        requests: 0,
        estimated: 0,
        chargedNano: 0,
        usage: { ...NO_USAGE },
      }
      groups.set(place, group)
    }
    group.requests += 1
    group.chargedNano += cost ?? 0
    if (!CERTAIN.has(status)) group.estimated += 1
    addUsage(group.usage, buckets)
  }
  return [...groups.values()]
}

function findClass(size: number, limits: readonly number[]): number {
  let found = 0
  for (const limit of limits) {
    if (size <= limit) break
    found += 1
  }
  return found
}

/** A model without a price for a rare bucket can serve the requests that have none of it. */
function computeRare(buckets: UsageBuckets): number {
  let bits = 0
  for (const [at, name] of RARE_BUCKETS.entries()) if (buckets[name]) bits |= 1 << at
  return bits
}

function addUsage(sum: NamedCounts, buckets: NamedCounts): void {
  for (const name of Object.keys(buckets)) {
    const count = buckets[name]
    if (count) sum[name] = (sum[name] ?? 0) + count
  }
}

/** The tier of a price; null for the standard one. */
function readTier(db: Db, nr: number | null): string | null {
  const row = nr === null ? undefined : selectPrice(db).get(nr)
  const price: AppliedPrice | null = row ? JSON.parse(row.price) : null
  return price?.tier ?? null
}

export const groupRows = {
  name: 'reprice',
  reads: { groupRequests },
} satisfies StorePart

declare module '../../../gateway/store/calls.ts' {
  interface Reads extends Readonly<typeof groupRows.reads> {}
}
