import { isTimeZone } from '../../../shared/calendar.ts'
import type { Usage, UsageQuery } from '../../../shared/usage.ts'
import type { ApiKeys } from '../../keys/api-keys.ts'
import { invalidRequest } from '../../platform/errors.ts'
import { omitUndefined } from '../../platform/omit-undefined.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Store, UsageSum } from '../../store/store.ts'
import { parseMoment } from './moments.ts'
import { usageView } from './usage-view.ts'

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
    const titles = bySession ? await this.#titlesOf(rows) : NO_TITLES
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

  async #titlesOf(rows: readonly UsageSum[]): Promise<Titles> {
    const ids = new Set(rows.flatMap(({ group, split = '' }) => [group, split]))
    const sessions = await this.#store.read('getSessions', [...ids])
    return new Map(sessions.flatMap(({ id, title }) => (title === null ? [] : [[id, title]])))
  }

  #label(groupBy: UsageQuery['groupBy'], group: string, titles: Titles): string {
    if (groupBy === 'session') return titles.get(group) ?? group
    return groupBy === 'key' ? (this.#keys.get(group)?.name ?? group) : group
  }
}
