import type { Usage, UsageQuery } from '../../../shared/api/usage.ts'
import { nanoToUsd, nanoUsd } from '../../../shared/money/money.ts'
import { isTimeZone } from '../../../shared/values/calendar.ts'
import type { ApiKeys } from '../../keys/api-keys.ts'
import { invalidRequest } from '../../platform/errors.ts'
import { omitUndefined } from '../../platform/fields.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Store, UsageSum } from '../../store/store.ts'
import { percentile, sumTimings } from '../../store/sums/rollup-columns.ts'

type Titles = ReadonlyMap<string, string>
const NO_TITLES: Titles = new Map()

/** The usage sums, as the API returns them. */
export class UsageSums {
  readonly #store: Store
  readonly #keys: ApiKeys
  readonly #settings: Settings

  constructor({ store, keys, settings }: { store: Store; keys: ApiKeys; settings: Settings }) {
    this.#store = store
    this.#keys = keys
    this.#settings = settings
  }

  /** Throws 400 for an unknown time zone. */
  async read(query: UsageQuery): Promise<Usage> {
    const timeZone = query.timeZone ?? this.#settings.timeZone
    if (!isTimeZone(timeZone))
      throw invalidRequest('"timeZone" must be an IANA time zone name.', { param: 'timeZone' })
    const { groupBy, splitBy, key, model, provider, client, tag, session } = query
    const timings = query.latency === 'true'
    const filter = {
      groupBy,
      splitBy,
      timeZone,
      timings,
      from: parseMoment(query.from),
      to: parseMoment(query.to),
    }
    const where = omitUndefined({ key, model, provider, client, tag, session })
    const bySession = groupBy === 'session' || splitBy === 'session'
    const read = bySession ? 'usageOfSessions' : 'usage'
    const rows = await this.#store.read(read, { ...omitUndefined(filter), where })
    const titles = bySession ? await this.#readTitles(rows) : NO_TITLES
    return {
      groupBy,
      timeZone,
      data: rows.map((row) => ({
        group: row.group,
        label: this.#label(groupBy, row.group, titles),
        ...(splitBy && row.split !== undefined
          ? { split: row.split, splitLabel: this.#label(splitBy, row.split, titles) }
          : {}),
        ...usageView([row], timings),
      })),
      total: usageView(rows, timings),
    }
  }

  async #readTitles(rows: readonly UsageSum[]): Promise<Titles> {
    const ids = new Set(rows.flatMap(({ group, split = '' }) => [group, split]))
    const sessions = await this.#store.read('getSessions', [...ids])
    return new Map(sessions.flatMap(({ id, title }) => (title === null ? [] : [[id, title]])))
  }

  #label(groupBy: UsageQuery['groupBy'], group: string, titles: Titles): string {
    if (groupBy === 'session') return titles.get(group) ?? group
    return groupBy === 'key' ? (this.#keys.get(group)?.name ?? group) : group
  }
}

type Totals = Usage['total']

/** Sums in the API's units, with percentiles where the store added histograms of the durations. */
function usageView(sums: readonly UsageSum[], latency: boolean): Totals {
  const costNano = sums.reduce((nano, sum) => nano + sum.costNano, 0)
  return {
    requests: total(sums, 'requests'),
    tokensIn: total(sums, 'tokensIn'),
    tokensOut: total(sums, 'tokensOut'),
    tokensCached: total(sums, 'tokensCached'),
    costUsd: nanoToUsd(nanoUsd(costNano)),
    errors: total(sums, 'errors'),
    unpriced: total(sums, 'unpriced'),
    ...(latency ? percentiles(sums) : {}),
  }
}

type Count = 'requests' | 'tokensIn' | 'tokensOut' | 'tokensCached' | 'errors' | 'unpriced'

function total(sums: readonly UsageSum[], name: Count): number {
  return sums.reduce((total, sum) => total + sum[name], 0)
}

function percentiles(sums: readonly UsageSum[]) {
  const timings = sumTimings(sums.map((sum) => sum.timings))
  return {
    latencyP50Ms: percentile(timings.total, 0.5),
    latencyP95Ms: percentile(timings.total, 0.95),
    firstByteP50Ms: percentile(timings.firstByte, 0.5),
  }
}

/** Milliseconds since 1970 of a date-time that a schema has checked. */
export function parseMoment(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}
