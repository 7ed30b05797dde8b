import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ModelRecord } from '../../../shared/api/models.ts'
import { isChatModel } from '../../../shared/api/terms.ts'
import type { UsageRow } from '../../../shared/api/usage.ts'
import { api } from '../../data/api.ts'
import { volatileQuery } from '../../data/query-client.ts'
import type { Workload } from './workload.ts'

export const RECENT_DAYS = 30
const DAY_MS = 86_400_000

/** The use of chat models in the last 30 days. */
export interface RecentUse {
  requests: number
  tokensIn: number
  tokensOut: number
  tokensCached: number
  costUsd: number
  /** Requests whose cost is unknown, and not in `costUsd`. */
  unpriced: number
  /** The models, by id, with their share of the tokens from 0 to 1. */
  models: ReadonlyMap<string, number>
}

/** `keyId`: only that of one key; null for all. Undefined until it has been read; nothing if it cannot be read. */
export function useRecentUse(keyId: string | null, models: readonly ModelRecord[]): RecentUse | undefined {
  const { data, isPending } = useQuery({
    ...volatileQuery(['recent-use', keyId], async () => {
      const from = new Date(Date.now() - RECENT_DAYS * DAY_MS).toISOString()
      const query = { groupBy: 'model', from, ...(keyId === null ? {} : { key: keyId }) } as const
      return (await api('getUsage', { query })).data
    }),
    placeholderData: keepPreviousData,
  })
  return useMemo(() => (isPending ? undefined : sumChats(data ?? [], models)), [isPending, data, models])
}

/** Embeddings and images have other prices, so a chat workload does not have their tokens. */
function sumChats(rows: readonly UsageRow[], models: readonly ModelRecord[]): RecentUse {
  const others = new Set(models.filter((model) => !isChatModel(model)).map(({ id }) => id))
  const chats = rows.filter(({ group }) => !others.has(group))
  const sum = (field: 'requests' | 'tokensIn' | 'tokensOut' | 'tokensCached' | 'costUsd' | 'unpriced') =>
    chats.reduce((total, row) => total + row[field], 0)
  const tokens = Math.max(1, sum('tokensIn') + sum('tokensOut'))
  return {
    requests: sum('requests'),
    tokensIn: sum('tokensIn'),
    tokensOut: sum('tokensOut'),
    tokensCached: sum('tokensCached'),
    costUsd: sum('costUsd'),
    unpriced: sum('unpriced'),
    models: new Map(
      chats
        .filter(({ tokensIn, tokensOut }) => tokensIn + tokensOut > 0)
        .map(({ group, tokensIn, tokensOut }) => [group, (tokensIn + tokensOut) / tokens]),
    ),
  }
}

/** Null if nothing was used. */
export function toWorkload({ tokensIn, tokensOut, tokensCached }: RecentUse): Workload | null {
  if (tokensIn + tokensOut === 0) return null
  const cached = tokensIn === 0 ? 0 : Math.round((1000 * tokensCached) / tokensIn) / 10
  return { requests: null, input: tokensIn, output: tokensOut, cached, written: 0 }
}
