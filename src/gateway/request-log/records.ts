import { isTimeZone } from '../../shared/calendar.ts'
import { usdToNano } from '../../shared/money.ts'
import type { RequestBodies, RequestQuery, RequestRecord } from '../../shared/requests.ts'
import type { Usage, UsageQuery } from '../../shared/usage.ts'
import type { ApiKeys } from '../keys/api-keys.ts'
import { invalidRequest, notFound } from '../platform/errors.ts'
import { omitUndefined } from '../platform/omit-undefined.ts'
import type { Settings } from '../settings/settings.ts'
import { readCursor, writeCursor } from '../store/cursor.ts'
import {
  type RequestFilter,
  type RequestPage,
  type Store,
  type StoredRequest,
  StoreError,
} from '../store/store.ts'
import { positionOf, type Rejection, type Rejections } from './rejections.ts'
import type { Countable, RepeatCounter } from './repeat-counter.ts'
import { usageView } from './usage-view.ts'
import { rejectionView, requestView } from './views.ts'

type Page = { data: RequestRecord[]; nextCursor: string | null }
type RowFinder = Pick<RepeatCounter<Countable>, 'rowOf'>

/** The request log and the usage sums, as the API returns them. */
export class Records {
  readonly #store: Store
  readonly #keys: ApiKeys
  readonly #settings: Settings
  readonly #refusals: RowFinder
  readonly #rejections: Rejections

  constructor(deps: {
    store: Store
    keys: ApiKeys
    settings: Settings
    refusals: RowFinder
    rejections: Rejections
  }) {
    this.#store = deps.store
    this.#keys = deps.keys
    this.#settings = deps.settings
    this.#refusals = deps.refusals
    this.#rejections = deps.rejections
  }

  /** Newest first. Throws 400 for an unknown cursor, and for an empty range of costs. */
  async list(query: RequestQuery): Promise<Page> {
    const { limit, cursor, key, model, provider, status, q, costStatus, minCostUsd, maxCostUsd } = query
    if (minCostUsd !== undefined && maxCostUsd !== undefined && minCostUsd > maxCostUsd) {
      throw invalidRequest('"minCostUsd" is above "maxCostUsd", so no request could match.', {
        param: 'minCostUsd',
      })
    }
    const filter = {
      limit,
      cursor,
      keyId: key,
      model,
      provider,
      status,
      q: q === undefined ? undefined : this.#rowOf(q),
      from: parseMoment(query.from),
      to: parseMoment(query.to),
      costStatus,
      minCostNano: minCostUsd === undefined ? undefined : usdToNano(minCostUsd),
      maxCostNano: maxCostUsd === undefined ? undefined : usdToNano(maxCostUsd),
    }
    const rejected = q === undefined ? undefined : this.#rejections.find(q)
    if (rejected) return { data: [this.rejected(rejected)], nextCursor: null }
    const present = omitUndefined(filter)
    const page = await this.#store.read('listRequests', present).catch((error: unknown) => {
      if (error instanceof StoreError && error.code === 'bad_cursor') {
        throw invalidRequest('This cursor was not returned by GET /v1/requests.', { param: 'cursor' })
      }
      throw error
    })
    return this.#mergeRejected(page, present)
  }

  /** Inserts the rejected calls that belong between the rows of a page. */
  #mergeRejected({ rows, nextCursor }: RequestPage, filter: RequestFilter): Page {
    const after = filter.cursor === undefined ? null : readCursor(filter.cursor)
    const rejected = this.#rejections.list(filter, after, nextCursor === null ? null : readCursor(nextCursor))
    const all = [
      ...rows.map((row) => ({ at: row, record: this.view(row) })),
      ...rejected.map((row) => ({ at: positionOf(row), record: this.rejected(row) })),
    ].sort((a, b) => b.at.createdAt - a.at.createdAt || b.at.seq - a.at.seq)
    const data = all.slice(0, filter.limit)
    const last = data.at(-1)
    return {
      data: data.map(({ record }) => record),
      nextCursor: all.length > filter.limit && last ? writeCursor(last.at) : nextCursor,
    }
  }

  /** The stored prompt and answer. Throws 404, with the code `bodies_not_kept` when only the request exists. */
  async bodies(id: string): Promise<RequestBodies> {
    const bodies = await this.#store.read('getBodies', id)
    if (bodies) return bodies
    await this.get(id)
    throw notFound(
      'The prompt and the answer of this request are not stored. They are stored only for requests that end while the setting "storeBodies" is on ("Store prompts and answers" in the Settings).',
      { code: 'bodies_not_kept' },
    )
  }

  /** Deletes all stored prompts and answers, in steps, so that charges can be written in between. */
  async deleteBodies(): Promise<{ deleted: number }> {
    let deleted = 0
    for (let more = true; more; ) {
      const step = await this.#store.write('deleteBodies')
      deleted += step.deleted
      more = step.more
    }
    while ((await this.#store.write('releaseFreePages', { all: true })).more);
    return { deleted }
  }

  /** Throws 404. */
  async get(id: string): Promise<RequestRecord> {
    const rejected = this.#rejections.find(id)
    if (rejected) return this.rejected(rejected)
    const row = await this.#store.read('getRequest', this.#rowOf(id))
    if (!row) throw notFound(`There is no request "${id}".`)
    return this.view(row)
  }

  /** Throws 400 for an unknown time zone. */
  async usage(query: UsageQuery): Promise<Usage> {
    const timeZone = query.timeZone ?? this.#settings.timeZone
    if (!isTimeZone(timeZone))
      throw invalidRequest('"timeZone" must be an IANA time zone name.', { param: 'timeZone' })
    const { groupBy, splitBy, key, model, provider, client } = query
    const timings = query.latency === 'true'
    const filter = {
      groupBy,
      splitBy,
      timeZone,
      timings,
      from: parseMoment(query.from),
      to: parseMoment(query.to),
    }
    const where = omitUndefined({ key, model, provider, client })
    const rows = await this.#store.read('usage', { ...omitUndefined(filter), where })
    return {
      groupBy,
      timeZone,
      data: rows.map((row) => ({
        group: row.group,
        label: this.#label(groupBy, row.group),
        ...(splitBy && row.split !== undefined
          ? { split: row.split, splitLabel: this.#label(splitBy, row.split) }
          : {}),
        ...usageView([row], timings),
      })),
      total: usageView(rows, timings),
    }
  }

  view(row: StoredRequest): RequestRecord {
    return requestView(row, this.#keyName(row.keyId))
  }

  rejected(row: Rejection): RequestRecord {
    return rejectionView(row, this.#keyName(row.keyId))
  }

  #keyName(id: string): string {
    return this.#keys.get(id)?.name ?? id
  }

  /** The id of the row that counts a call: its own, unless it repeated a refused one. */
  #rowOf(id: string): string {
    return this.#refusals.rowOf(id)?.id ?? id
  }

  #label(groupBy: UsageQuery['groupBy'], group: string): string {
    return groupBy === 'key' ? this.#keyName(group) : group
  }
}

function parseMoment(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}
