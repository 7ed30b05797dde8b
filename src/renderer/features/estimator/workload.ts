import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Capability, ModelRecord, Pricing } from '../../../shared/api/models.ts'
import { EstimateRequest } from '../../../shared/api/pricing.ts'
import { isChatModel } from '../../../shared/api/terms.ts'
import type { UsageRow } from '../../../shared/api/usage.ts'
import { getRates } from '../../../shared/money/rates.ts'
import { api } from '../../data/api.ts'
import { volatileQuery } from '../../data/query-client.ts'
import { includesWords } from '../../kit/search-field.tsx'

/** The entered workload: the tokens of a month, or a number of requests and the tokens of one. */
export interface Workload {
  /** Requests per month; null if the tokens are those of the whole month. */
  requests: number | null
  input: number
  output: number
  /** Percentages of the input that are read from a cache and written to one. */
  cached: number
  written: number
}

/** The tokens of a month. */
export interface MonthlyTokens {
  /** Null if it is not known. */
  requests: number | null
  input: number
  cacheRead: number
  cacheWrite: number
  output: number
}

export const EXAMPLE: Workload = {
  requests: null,
  input: 10_000_000,
  output: 2_000_000,
  cached: 0,
  written: 0,
}

/** The most of any count. */
export const MAX_COUNT = 1e15

function readCount(text: string | null): number | null {
  const count = text === null ? null : EstimateRequest.shape.monthlyInputTokens.safeParse(Number(text))
  return count?.success ? count.data : null
}

function readPercent(text: string | null): number {
  const percent = Number(text)
  return percent >= 0 && percent <= 100 ? percent : 0
}

/** Reads a workload from a query string; null if it has none. */
export function readWorkload(search: URLSearchParams): Workload | null {
  const [input, output] = [readCount(search.get('in')), readCount(search.get('out'))]
  if (input === null && output === null) return null
  const cached = readPercent(search.get('cached'))
  return {
    requests: readCount(search.get('requests')),
    input: input ?? 0,
    output: output ?? 0,
    cached,
    written: Math.min(100 - cached, readPercent(search.get('written'))),
  }
}

/** Writes a workload into a query string; null removes it. */
export function writeWorkload(search: URLSearchParams, workload: Workload | null): URLSearchParams {
  const { requests = null, input = null, output = null, cached = 0, written = 0 } = workload ?? {}
  const values = { requests, in: input, out: output, cached: cached || null, written: written || null }
  for (const [name, value] of Object.entries(values)) {
    if (value === null) search.delete(name)
    else search.set(name, String(value))
  }
  return search
}

export function monthlyTokens({ requests, input, output, cached, written }: Workload): MonthlyTokens {
  const times = requests ?? 1
  const cacheRead = Math.round((times * input * cached) / 100)
  const cacheWrite = Math.round((times * input * written) / 100)
  const all = times * input
  return {
    requests,
    input: Math.max(0, all - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    output: times * output,
  }
}

/** Enters the workload in the other way. `requests`: their number, if it is known. */
export function switchEntry(workload: Workload, requests: number): Workload {
  if (workload.requests !== null) {
    const { input, output } = workload
    return {
      ...workload,
      requests: null,
      input: Math.min(MAX_COUNT, workload.requests * input),
      output: Math.min(MAX_COUNT, workload.requests * output),
    }
  }
  const count = Math.max(1, requests)
  return {
    ...workload,
    requests: count,
    input: Math.round(workload.input / count),
    output: Math.round(workload.output / count),
  }
}

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

/** A model with what the workload would cost with it. */
export interface ModelCost {
  model: ModelRecord
  pricing: Pricing
  /** USD per month. */
  costUsd: number
  /** Its share of the tokens of the last 30 days, from 0 to 1. */
  share: number
}

/** USD at the price, less the discount of the account. Cached tokens without a price of their own are priced as input. */
export function estimateCost(pricing: Pricing, tokens: MonthlyTokens, discountPercent: number): number {
  const rates = getRates(pricing)
  const millionths =
    tokens.input * rates.input +
    tokens.cacheRead * rates.cacheRead +
    tokens.cacheWrite * rates.cacheWrite5m +
    tokens.output * rates.output +
    (tokens.requests ?? 0) * rates.requests
  return ((millionths / 1e6) * (100 - discountPercent)) / 100
}

/** The sandbox's prices are examples: its models are left out once there are others with a price. */
export function realModels(models: readonly ModelRecord[]): readonly ModelRecord[] {
  const real = models.filter(({ providers }) => providers.some((id) => id !== 'sandbox'))
  return real.some(({ pricing }) => pricing !== null) ? real : models
}

export interface CostFilter {
  text: string
  capabilities: readonly Capability[]
  /** The least context window, in tokens; 0 for any. */
  context: number
}

export function matchesCostFilter(
  { text, capabilities, context }: CostFilter,
  { id, name, providers, ...model }: ModelRecord,
): boolean {
  if (context > 0 && (model.contextWindow ?? 0) < context) return false
  if (!capabilities.every((each) => model.capabilities.includes(each))) return false
  return includesWords(`${id} ${name} ${providers.join(' ')}`, text)
}
