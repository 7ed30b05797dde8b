import type { UsageRow } from '../../../shared/api/usage.ts'
import { api } from '../../data/api.ts'
import { type Query, volatileQuery } from '../../data/query-client.ts'

const DAY_MS = 86_400_000

/** The usage of each provider in the last 24 hours, by its id. Live events refresh queries that begin with `usage-in`. */
export const providersLastDay: Query<ReadonlyMap<string, UsageRow>> = volatileQuery(
  ['usage-in', 'providers-last-day'],
  async () => {
    const from = new Date(Date.now() - DAY_MS).toISOString()
    const { data } = await api('getUsage', { query: { groupBy: 'provider', from, latency: 'true' } })
    return new Map(data.map((row) => [row.group, row]))
  },
)

/** "0.5%"; a share that is not nothing is never shown as 0%. */
export function formatErrorRate({ errors, requests }: Pick<UsageRow, 'errors' | 'requests'>): string {
  const percent = (errors / requests) * 100
  if (percent === 0) return '0%'
  if (percent < 0.1) return '< 0.1%'
  return `${percent < 10 ? percent.toFixed(1).replace(/\.0$/, '') : Math.round(percent)}%`
}

const FEW = 3
const MUCH = 0.1

/** Whether more than one in ten requests fails, unless that is only one or two. */
export function hasManyErrors({ errors, requests }: Pick<UsageRow, 'errors' | 'requests'>): boolean {
  return errors >= FEW && errors / requests > MUCH
}
