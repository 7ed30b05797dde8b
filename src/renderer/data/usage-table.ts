// Usage in a range of time as a table: a row for each key, model, provider, client or day.

import type { Usage, UsageQuery } from '../../shared/api/usage.ts'
import type { Span } from '../../shared/values/calendar.ts'
import { api } from './api.ts'
import { type Query, query } from './query-client.ts'
import type { UsageFilter, UsageSplit } from './request-link.ts'
import { KEPT_MS } from './usage.ts'

export type UsageBy = UsageSplit | 'day'

export interface UsageTableQuery {
  by: UsageBy
  /** Divides each row further. */
  parts?: UsageSplit
  span: Span
  zone: string
  filter: UsageFilter
}

export function usageTable({ by, parts, span, zone, filter }: UsageTableQuery): Query<Usage> {
  const request: UsageQueryInput = {
    groupBy: by,
    timeZone: zone,
    from: new Date(span.start).toISOString(),
    to: new Date(span.end).toISOString(),
    latency: 'true',
    ...(parts ? { splitBy: parts } : {}),
    ...filter,
  }
  return {
    ...query(['usage-in', 'table', request], () => api('getUsage', { query: request })),
    gcTime: KEPT_MS,
  }
}

type UsageQueryInput = Partial<UsageQuery>
