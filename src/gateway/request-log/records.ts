// Owns how stored requests and sums are shown. Knows nothing of how they came about.
import { isTimeZone } from '../../shared/calendar.ts'
import { nanoToUsd, nanoUsd, usdToNano } from '../../shared/money.ts'
import type { RequestBodies, RequestQuery, RequestRecord } from '../../shared/requests.ts'
import type { Usage, UsageQuery } from '../../shared/usage.ts'
import type { ApiKeys } from '../keys/api-keys.ts'
import { invalidRequest, notFound } from '../platform/errors.ts'
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
import { rejectionView, requestView } from './views.ts'

type Page = { data: RequestRecord[]; nextCursor: string | null }
type RowFinder = Pick<RepeatCounter<Countable>, 'rowOf'>

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

  /** Newest first. Throws 400 for a cursor that is not ours, and for costs that cannot be. */
  async list(query: RequestQuery): Promise<Page> {
    const { limit, cursor, key, model, provider, status, q, costStatus, minCostUsd, maxCostUsd } = query
    if (minCostUsd !== undefined && maxCostUsd !== undefined && minCostUsd > maxCostUsd) {
      throw invalidRequest('"minCostUsd" is above "maxCostUsd", so that no request could fit.', {
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
      from: moment(query.from),
      to: moment(query.to),
      costStatus,
      minCostNano: minCostUsd === undefined ? undefined : usdToNano(minCostUsd),
      maxCostNano: maxCostUsd === undefined ? undefined : usdToNano(maxCostUsd),
    }
    const whole = q === undefined ? undefined : this.#rejections.find(q)
    if (whole) return { data: [this.rejected(whole)], nextCursor: null }
    const wanted = present(filter)
    const page = await this.#store.read('listRequests', wanted).catch((error: unknown) => {
      if (error instanceof StoreError && error.code === 'bad_cursor') {
        throw invalidRequest('This cursor is not one that GET /v1/requests gave out.', { param: 'cursor' })
      }
      throw error
    })
    return this.#withRejected(page, wanted)
  }

  /** A page of the ledger with the rejected calls that belong between its rows. */
  #withRejected({ rows, nextCursor }: RequestPage, filter: RequestFilter): Page {
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

  /** The kept prompt and answer. Throws 404, with the code `bodies_not_kept` where there is such a request. */
  async bodies(id: string): Promise<RequestBodies> {
    const bodies = await this.#store.read('getBodies', id)
    if (bodies) return bodies
    await this.get(id)
    throw notFound(
      'The prompt and the answer of this request are not kept. They are kept only for requests that end while the setting "storeBodies" is on ("Store prompts and answers" in the Settings).',
      { code: 'bodies_not_kept' },
    )
  }

  /** Deletes all that is kept of prompts and answers, in steps between which charges are written. */
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
    const { groupBy, splitBy } = query
    const filter = { groupBy, splitBy, timeZone, from: moment(query.from), to: moment(query.to) }
    const rows = await this.#store.read('usage', present(filter))
    const total = { requests: 0, tokensIn: 0, tokensOut: 0, costNano: 0 }
    for (const row of rows) {
      total.requests += row.requests
      total.tokensIn += row.tokensIn
      total.tokensOut += row.tokensOut
      total.costNano += row.costNano
    }
    const sums = <T extends { costNano: number }>({ costNano, ...rest }: T) => ({
      ...rest,
      costUsd: nanoToUsd(nanoUsd(costNano)),
    })
    return {
      groupBy,
      timeZone,
      data: rows.map((row) => ({
        ...sums(row),
        label: this.#label(groupBy, row.group),
        ...(splitBy && row.split !== undefined ? { splitLabel: this.#label(splitBy, row.split) } : {}),
      })),
      total: sums(total),
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

  /** The id of the row in which a call was counted: its own, but for a refused one that came again. */
  #rowOf(id: string): string {
    return this.#refusals.rowOf(id)?.id ?? id
  }

  #label(groupBy: UsageQuery['groupBy'], group: string): string {
    return groupBy === 'key' ? this.#keyName(group) : group
  }
}

function moment(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Without the members that are undefined: to the store, an absent filter is no filter. */
function present<T extends object>(filter: T): Present<T> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Present<T>
}
