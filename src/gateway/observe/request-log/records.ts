import type { RequestPrompt } from '../../../shared/api/prompts.ts'
import type { RequestQuery, RequestTotals, RequestTotalsQuery } from '../../../shared/api/request-queries.ts'
import type { RequestBodies, RequestRecord } from '../../../shared/api/requests.ts'
import { CACHE_CAUSES, hasSamplePrices } from '../../../shared/api/terms.ts'
import { type NanoUsd, nanoToUsd, nanoUsd, usdToNano, ZERO_USD } from '../../../shared/money/money.ts'
import type { ApiKeys } from '../../keys/api-keys.ts'
import { formatTime } from '../../platform/clock.ts'
import { invalidRequest, notFound } from '../../platform/errors.ts'
import { omitUndefined } from '../../platform/fields.ts'
import type { Holds } from '../../spend/holds.ts'
import {
  comparePositions,
  isNewestFirst,
  positionIn,
  readOrderedCursor,
  writeOrderedCursor,
} from '../../store/listings/request-order.ts'
import {
  type Hold,
  INITIAL_ROW,
  type RequestFilter,
  type RequestOrder,
  type RequestPage,
  type Store,
  type StoredPrompt,
  type StoredRequest,
  StoreError,
  type TotalsFilter,
} from '../../store/store.ts'
import { clientName } from '../../store/sums/client-name.ts'
import {
  type Countable,
  getPosition,
  type Rejection,
  type Rejections,
  type RepeatCounter,
} from './rejections.ts'
import { parseMoment } from './usage-sums.ts'

type Page = { data: RequestRecord[]; nextCursor: string | null }
type HoldFinder = Pick<Holds, 'find'>
type RowFinder = Pick<RepeatCounter<Countable>, 'findRow'>

interface RecordsDeps {
  store: Store
  keys: ApiKeys
  holds: HoldFinder
  refusals: RowFinder
  rejections: Rejections
}

/** The request log, as the API returns it. */
export class Records {
  readonly #deps: RecordsDeps
  constructor(deps: RecordsDeps) {
    this.#deps = deps
  }

  /** Throws 400 for an unknown cursor, and for an empty range of costs. */
  async list(query: RequestQuery): Promise<Page> {
    const { limit, cursor, sort, order, q } = query
    const filter = omitUndefined({ ...this.#prepareFilter(query), limit, cursor })
    const rejected = q === undefined ? undefined : this.#deps.rejections.find(q)
    if (rejected) return { data: [this.rejected(rejected)], nextCursor: null }
    const page = await this.#readPage(filter, { sort, order }).catch((error: unknown) => {
      if (error instanceof StoreError && error.code === 'bad_cursor') {
        throw invalidRequest('This cursor was not returned by GET /v1/requests for this order.', {
          param: 'cursor',
        })
      }
      throw error
    })
    return this.#mergeRejected(page, filter, { sort, order })
  }

  async #readPage(filter: RequestFilter, order: RequestOrder): Promise<RequestPage> {
    return isNewestFirst(order)
      ? await this.#deps.store.read('listRequests', filter)
      : await this.#deps.store.read('listSorted', filter, order)
  }

  /** The totals of all pages of a listing. Throws 400 for an empty range of costs. */
  async totals(query: RequestTotalsQuery): Promise<RequestTotals> {
    const rejected = query.q === undefined ? undefined : this.#deps.rejections.find(query.q)
    const filter = this.#prepareFilter(query)
    const { costNano, worthNano, savedNano, requests, ...sums } = await this.#deps.store.read(
      'requestTotals',
      filter,
    )
    const counted = rejected ? [rejected] : this.#deps.rejections.list(filter)
    return {
      ...sums,
      requests: counted.reduce((sum, { count }) => sum + count, requests),
      costUsd: nanoToUsd(costNano),
      worthUsd: nanoToUsd(worthNano),
      savedUsd: nanoToUsd(savedNano),
    }
  }

  #prepareFilter(query: RequestTotalsQuery): TotalsFilter {
    const { key, model, provider, client, session, tag, status } = query
    const { q, costStatus, held, minCostUsd, maxCostUsd } = query
    if (minCostUsd !== undefined && maxCostUsd !== undefined && minCostUsd > maxCostUsd) {
      throw invalidRequest('"minCostUsd" is above "maxCostUsd", so no request could match.', {
        param: 'minCostUsd',
      })
    }
    return omitUndefined({
      keyId: key,
      model,
      provider,
      client,
      session,
      tag,
      status,
      q: q === undefined ? undefined : this.#findRow(q),
      from: parseMoment(query.from),
      to: parseMoment(query.to),
      costStatus,
      held: held === 'true' || undefined,
      minCostNano: minCostUsd === undefined ? undefined : usdToNano(minCostUsd),
      maxCostNano: maxCostUsd === undefined ? undefined : usdToNano(maxCostUsd),
    })
  }

  /** Inserts the rejected calls that belong between the rows of a page. */
  #mergeRejected({ rows, nextCursor }: RequestPage, filter: RequestFilter, order: RequestOrder): Page {
    const after = filter.cursor === undefined ? null : readOrderedCursor(order, filter.cursor)
    const end = nextCursor === null ? null : readOrderedCursor(order, nextCursor)
    const rejected = this.#deps.rejections
      .list(filter)
      .map((row) => ({ at: getPosition(row, order), record: this.rejected(row) }))
      .filter(({ at }) => after === null || comparePositions(order, after, at) < 0)
      .filter(({ at }) => end === null || comparePositions(order, at, end) < 0)
    const all = [
      ...rows.map((row) => ({ at: positionIn(order, row), record: this.view(row) })),
      ...rejected,
    ].sort((a, b) => comparePositions(order, a.at, b.at))
    const data = all.slice(0, filter.limit)
    const last = data.at(-1)
    return {
      data: data.map(({ record }) => record),
      nextCursor: all.length > filter.limit && last ? writeOrderedCursor(order, last.at) : nextCursor,
    }
  }

  /** The stored prompt and answer. Throws 404, with the code `bodies_not_kept` when only the request exists. */
  async bodies(id: string): Promise<Omit<RequestBodies, 'chat'>> {
    const bodies = await this.#deps.store.read('getBodies', id)
    if (bodies) return bodies
    await this.get(id)
    throw notFound(
      'The prompt and the answer of this request are not stored. They are stored only for requests that end while the setting "storeBodies" is on ("Store prompts and answers" in the Settings), or that of the key.',
      { code: 'bodies_not_kept' },
    )
  }

  /** Deletes all stored prompts and answers, in steps, so that charges can be written in between. */
  async deleteBodies(): Promise<{ deleted: number }> {
    let deleted = 0
    for (let more = true; more; ) {
      const step = await this.#deps.store.write('deleteBodies')
      deleted += step.deleted
      more = step.more
    }
    while ((await this.#deps.store.write('releaseFreePages', { all: true })).more);
    return { deleted }
  }

  /** Throws 404. */
  async get(id: string): Promise<RequestRecord> {
    const rejected = this.#deps.rejections.find(id)
    if (rejected) return this.rejected(rejected)
    const row = await this.#deps.store.read('getRequest', this.#findRow(id))
    if (!row) throw notFound(`There is no request "${id}".`)
    return this.view(row)
  }

  view(row: StoredRequest): RequestRecord {
    return requestView(row, this.#keyName(row.keyId), this.#deps.holds.find(row.id))
  }

  rejected(row: Rejection): RequestRecord {
    return rejectionView(row, this.#keyName(row.keyId))
  }

  #keyName(id: string): string {
    return this.#deps.keys.get(id)?.name ?? id
  }

  /** The id of the row that counts a call: its own, unless it repeated a refused one. */
  #findRow(id: string): string {
    return this.#deps.refusals.findRow(id)?.id ?? id
  }
}

/** The row, in the API's units and without what only the ledger needs. */
export function requestView(row: StoredRequest, keyName: string, hold: Hold | null): RequestRecord {
  const { seq: _seq, estimateNano: _estimate, settledAt: _settledAt, needs: _needs, ...rest } = row
  const { queueMs, firstByteMs, totalMs, ...shown } = rest
  const { prompt, ...told } = shown
  const { agentId: id, agentParent: parentId, agentType: type, agentRole: role, toolMs, ...others } = told
  const { costNano, worthNano, savedNano, costLowNano, costHighNano, reservedNano, ...timed } = others
  const { createdAt, lastAt, ...record } = timed
  return {
    ...record,
    createdAt: formatTime(createdAt),
    lastAt: formatTime(lastAt),
    keyName,
    clientName: clientName(record.client) || null,
    costUsd: usd(costNano),
    worthUsd: usd(worthNano),
    savedUsd: usd(savedNano),
    agent: role === null ? null : { id, parentId, type, role, toolMs: toolMs ?? {} },
    prompt: prompt && viewPrompt(prompt),
    sample: hasSamplePrices(record.provider),
    costLowUsd: usd(costLowNano),
    costHighUsd: usd(costHighNano),
    reservedUsd: nanoToUsd(reservedNano),
    heldUsd: hold && nanoToUsd(hold.nano),
    heldUntil: hold && formatTime(hold.until),
    timings: { queueMs, firstByteMs, totalMs },
  }
}

function viewPrompt([
  system,
  tools,
  history,
  results,
  media,
  toolCount,
  ...broken
]: StoredPrompt): RequestPrompt {
  const whole = system + tools + history + results + media || 1
  const [number, lostTokens = 0, nano = 0] = broken
  const cause = number === undefined ? undefined : CACHE_CAUSES[number]
  return {
    parts: {
      ...{ system: system / whole, tools: tools / whole, history: history / whole },
      ...{ results: results / whole, media: media / whole },
    },
    toolCount,
    break: cause ? { cause, lostTokens, lostUsd: nanoToUsd(nanoUsd(nano)) } : null,
  }
}

/** No upstream was called, so nothing was consumed and nothing took time. */
export function rejectionView(rejection: Rejection, keyName: string): RequestRecord {
  const { requestedModel, ...row } = rejection
  const view = requestView(
    {
      ...INITIAL_ROW,
      ...row,
      requestedModel: '',
      status: 'rejected',
      costNano: ZERO_USD,
      costStatus: 'free',
      reservedNano: ZERO_USD,
      estimateNano: null,
      seq: 0,
      bodiesKept: false,
    },
    keyName,
    null,
  )
  return { ...view, requestedModel }
}

function usd(nano: NanoUsd | null): number | null {
  return nano === null ? null : nanoToUsd(nano)
}
