import type { RequestQuery, RequestTotals, RequestTotalsQuery } from '../../../shared/api/request-queries.ts'
import type { FeatureField, RequestBodies, RequestRecord } from '../../../shared/api/requests.ts'
import { hasSamplePrices } from '../../../shared/api/terms.ts'
import { type NanoUsd, nanoToUsd, usdToNano } from '../../../shared/money/money.ts'
import { clientName } from '../../../shared/values/client-name.ts'
import type { ApiKeys } from '../../keys/api-keys.ts'
import { formatTime } from '../../platform/clock.ts'
import { invalidRequest, notFound } from '../../platform/errors.ts'
import { omitUndefined } from '../../platform/fields.ts'
import type { Holds } from '../../spend/holds.ts'
import {
  type FeatureFields,
  type Hold,
  type RequestFilter,
  type RequestOrder,
  type RequestPage,
  type Store,
  type StoredRequest,
  StoreError,
  type TotalsFilter,
} from '../../store/store.ts'
import type { Countable, RepeatCounter } from './repeat-counter.ts'
import { parseMoment } from './usage-sums.ts'

type Page = { data: RequestRecord[]; nextCursor: string | null }
type HoldFinder = Pick<Holds, 'find'>
type RefusalCounter = Pick<RepeatCounter<Countable>, 'findRow' | 'flush'>

/** How the API shows the fields of features. */
export type FieldViews = { readonly [Name in FeatureField]: FieldView<RequestRecord[Name]> }

interface FieldView<Shown> {
  // A method, not a property: TypeScript compares its parameter bivariantly, so that a feature names the type of its value.
  view(stored: unknown): Shown
}

interface RecordsDeps {
  store: Store
  keys: ApiKeys
  holds: HoldFinder
  refusals: RefusalCounter
  fieldViews: FieldViews
}

/** The request log, as the API returns it. */
export class Records {
  readonly #deps: RecordsDeps
  #writing: Promise<unknown> = Promise.resolve()

  constructor(deps: RecordsDeps) {
    this.#deps = deps
  }

  /** Later calls wait until a row is written whose id a client has. */
  waitFor(writing: Promise<unknown>): void {
    this.#writing = writing
  }

  /** Counts are written once a second. */
  #awaitWrites(): Promise<unknown> {
    this.#deps.refusals.flush()
    return this.#writing
  }

  /** Throws 400 for an unknown cursor, and for an empty range of costs. */
  async list(query: RequestQuery): Promise<Page> {
    const { limit, cursor, sort, order } = query
    const filter = omitUndefined({ ...this.#prepareFilter(query), limit, cursor })
    await this.#awaitWrites()
    const { rows, nextCursor } = await this.#readPage(filter, { sort, order }).catch((error: unknown) => {
      if (error instanceof StoreError && error.code === 'bad_cursor') {
        throw invalidRequest('This cursor was not returned by GET /v1/requests for this order.', {
          param: 'cursor',
        })
      }
      throw error
    })
    return { data: rows.map((row) => this.view(row)), nextCursor }
  }

  async #readPage(filter: RequestFilter, order: RequestOrder): Promise<RequestPage> {
    return order.sort === 'time' && order.order === 'desc'
      ? await this.#deps.store.read('listRequests', filter)
      : await this.#deps.store.scan('listSorted', filter, order)
  }

  /** The totals of all pages of a listing. Throws 400 for an empty range of costs. */
  async totals(query: RequestTotalsQuery): Promise<RequestTotals> {
    const filter = this.#prepareFilter(query)
    await this.#awaitWrites()
    const { costNano, worthNano, savedNano, ...sums } = await this.#deps.store.scan('requestTotals', filter)
    return {
      ...sums,
      costUsd: nanoToUsd(costNano),
      worthUsd: nanoToUsd(worthNano),
      savedUsd: nanoToUsd(savedNano),
    }
  }

  #prepareFilter(query: RequestTotalsQuery): TotalsFilter {
    const { key, model, provider, client, session, tag, batch, status } = query
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
      batch,
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
    await this.#awaitWrites()
    const row = await this.#deps.store.read('getRequest', this.#findRow(id))
    if (!row) throw notFound(`There is no request "${id}".`)
    return this.view(row)
  }

  view(row: StoredRequest): RequestRecord {
    const { holds, fieldViews } = this.#deps
    return requestView(row, this.#keyName(row.keyId), holds.find(row.id), fieldViews)
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
export function requestView(
  row: StoredRequest,
  keyName: string,
  hold: Hold | null,
  fieldViews: FieldViews,
): RequestRecord {
  const { seq: _seq, estimateNano: _estimate, settledAt: _settledAt, needs: _needs, ...rest } = row
  const { queueMs, firstByteMs, totalMs, ...shown } = rest
  const { features, ...told } = shown
  const { agentId: id, agentParent: parentId, agentType: type, agentRole: role, toolMs, ...others } = told
  const { costNano, worthNano, savedNano, costLowNano, costHighNano, reservedNano, ...timed } = others
  const { createdAt, lastAt, ...record } = timed
  return {
    ...record,
    requestedModel: record.requestedModel || null,
    createdAt: formatTime(createdAt),
    lastAt: formatTime(lastAt),
    keyName,
    clientName: clientName(record.client) || null,
    costUsd: usd(costNano),
    worthUsd: usd(worthNano),
    savedUsd: usd(savedNano),
    agent: role === null ? null : { id, parentId, type, role, toolMs: toolMs ?? {} },
    ...viewFields(features, fieldViews),
    sample: hasSamplePrices(record.provider),
    costLowUsd: usd(costLowNano),
    costHighUsd: usd(costHighNano),
    reservedUsd: nanoToUsd(reservedNano),
    heldUsd: hold && nanoToUsd(hold.nano),
    heldUntil: hold && formatTime(hold.until),
    timings: { queueMs, firstByteMs, totalMs },
  }
}

function viewFields(features: FeatureFields | null, views: FieldViews): Pick<RequestRecord, FeatureField> {
  const stored: Readonly<Record<string, unknown>> = { ...features }
  const fields = Object.entries<FieldView<unknown>>(views).map(([name, { view }]) => {
    const value = stored[name]
    return [name, value === undefined ? null : view(value)]
  })
  return Object.fromEntries(fields)
}

function usd(nano: NanoUsd | null): number | null {
  return nano === null ? null : nanoToUsd(nano)
}
