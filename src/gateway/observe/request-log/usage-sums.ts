import { getHistoryToolName } from '../../../shared/api/history-tools.ts'
import type { PlanShares, PlanSharesQuery } from '../../../shared/api/plans.ts'
import type { Usage, UsageQuery } from '../../../shared/api/usage.ts'
import { nanoToUsd, nanoUsd } from '../../../shared/money/money.ts'
import { isTimeZone } from '../../../shared/values/calendar.ts'
import type { ApiKeys } from '../../keys/api-keys.ts'
import { invalidRequest } from '../../platform/errors.ts'
import { omitUndefined } from '../../platform/fields.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Store, UsageSum } from '../../store/store.ts'
import type { Measures } from '../../store/sums/rollup-columns.ts'
import { percentile, sumTimings } from '../../store/sums/timings.ts'

type Titles = ReadonlyMap<string, string>
const NO_TITLES: Titles = new Map()

/** A window of a plan that has not reset yet. */
export interface OpenWindow {
  name: string
  provider: string
  /** Part of the names of the models that count; null for all. */
  model: string | null
  utilization: number | null
  from: number
}

type Switch = 'latency' | 'history'
type Choice = Omit<UsageQuery, Switch> & Partial<Pick<UsageQuery, Switch>>

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

  /** Throws 400 for an unknown time zone, and for parts of branches and commits. */
  async read(asked: Choice): Promise<Usage> {
    const timeZone = asked.timeZone ?? this.#settings.timeZone
    if (!isTimeZone(timeZone))
      throw invalidRequest('"timeZone" must be an IANA time zone name.', { param: 'timeZone' })
    const { groupBy, splitBy, key, model, provider, client, tag, session, branch, repository, history } =
      asked
    const byGit = groupBy === 'branch' || groupBy === 'commit'
    if (byGit && splitBy !== undefined)
      throw invalidRequest(`"splitBy" cannot divide what each ${groupBy} has cost.`, { param: 'splitBy' })
    const timings = asked.latency === 'true'
    const place =
      branch === undefined && repository === undefined ? undefined : omitUndefined({ branch, repository })
    const filter = {
      groupBy,
      splitBy,
      timeZone,
      timings,
      place,
      from: parseMoment(asked.from),
      to: parseMoment(asked.to),
    }
    const where = omitUndefined({ key, model, provider, client, tag, session })
    const bySession = groupBy === 'session' || splitBy === 'session'
    // These are counted from the rows of requests.
    const read = bySession || byGit || place !== undefined ? 'scan' : 'read'
    const query = { ...omitUndefined(filter), where }
    const rows = await this.#store[read]('usage', query)
    const imported =
      history === 'true' ? await this.#store.read('usage', { ...query, source: 'history' }) : null
    const titles = bySession ? await this.#readTitles(rows) : NO_TITLES
    const toRow = (row: UsageSum) => ({
      group: row.group,
      label: this.#label(groupBy, row.group, titles),
      ...(splitBy && row.split !== undefined
        ? { split: row.split, splitLabel: this.#label(splitBy, row.split, titles) }
        : {}),
      ...usageView([row], timings),
    })
    return {
      groupBy,
      timeZone,
      data: [
        ...rows.map(toRow),
        ...(imported ?? []).map((row) => ({
          ...toRow(row),
          ...(groupBy === 'client' && { label: getHistoryToolName(row.group) }),
          ...(splitBy === 'client' && { splitLabel: getHistoryToolName(row.split ?? '') }),
          origin: 'import' as const,
        })),
      ],
      total: usageView(rows, timings),
      ...(imported && { importedTotal: usageView(imported, timings) }),
    }
  }

  /** Divides windows of a plan among the sessions, tags or keys whose requests it has paid for, by what those are worth. */
  async divideWindows(windows: readonly OpenWindow[], by: PlanSharesQuery['by']): Promise<PlanShares> {
    const groups = new Map<string, PlanShares['data'][number]>()
    for (const { name: window, provider, model, utilization, from } of windows) {
      const query = { groupBy: by, splitBy: 'model', provider, from: new Date(from).toISOString() } as const
      const { data } = await this.read(query)
      const counted = data.filter(({ split = '' }) => model === null || split.includes(model))
      const all = counted.reduce((sum, { worthUsd }) => sum + worthUsd, 0)
      for (const [group, rows] of Map.groupBy(counted, (row) => row.group)) {
        const worthUsd = rows.reduce((sum, row) => sum + row.worthUsd, 0)
        const share = utilization === null || all === 0 ? null : (utilization * worthUsd) / all
        const entry = groups.get(group) ?? { group, label: rows[0]?.label ?? group, windows: [] }
        entry.windows.push({ window, worthUsd, share })
        groups.set(group, entry)
      }
    }
    const first = windows[0]?.name
    const getShare = ({ windows: own }: PlanShares['data'][number]) =>
      own.find(({ window }) => window === first)?.share ?? 0
    return { data: [...groups.values()].sort((a, b) => getShare(b) - getShare(a)) }
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
  return {
    requests: total(sums, 'requests'),
    tokensIn: total(sums, 'tokensIn'),
    tokensOut: total(sums, 'tokensOut'),
    tokensCached: total(sums, 'tokensCached'),
    costUsd: nanoToUsd(nanoUsd(total(sums, 'costNano'))),
    worthUsd: nanoToUsd(nanoUsd(total(sums, 'worthNano'))),
    savedUsd: nanoToUsd(nanoUsd(total(sums, 'savedNano'))),
    errors: total(sums, 'errors'),
    unpriced: total(sums, 'unpriced'),
    ...(latency ? percentiles(sums) : {}),
  }
}

function total(sums: readonly UsageSum[], name: keyof Measures): number {
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
