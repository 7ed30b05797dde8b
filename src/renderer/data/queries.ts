// The state of the gateway that views share, each with the operation that reads it.
import type { Account } from '../../shared/api/account.ts'
import type { LiveEvent } from '../../shared/api/events.ts'
import type { HistoryState } from '../../shared/api/history.ts'
import type { KeyMetadata } from '../../shared/api/keys.ts'
import { systemTimeZone } from '../../shared/values/calendar.ts'
import { api } from './api.ts'
import { liveQuery } from './live-queries.ts'
import { query, queryClient, refresh, volatileQuery } from './query-client.ts'
import { readRecentUsage } from './usage.ts'

const account = liveQuery({ queryKey: ['account'], read: () => api('getAccount'), apply: latestAccount })
const cachedTimeZone = () => queryClient.getQueryData(account.queryKey)?.timeZone

export const queries = {
  gateway: query(['gateway'], () => api('getGateway')),
  networkStatus: query(['network'], () => api('getNetwork')),
  /** Null in a browser. */
  desktop: query(['desktop'], async () => (await window.desktop?.getState()) ?? null),
  account,
  plans: query(['plans'], async () => (await api('listPlans')).data),
  /** Newest first. */
  keys: liveQuery({
    queryKey: ['keys'],
    read: async () => (await api('listKeys')).data.toSorted(byAge),
    apply: mergeKeys,
  }),
  providers: query(['providers'], async () => (await api('listProviders')).data),
  /** Disabled ones included. */
  models: query(['models'], async () => (await api('listModels', { query: { include: 'disabled' } })).data),
  settings: query(['settings'], () => api('getSettings')),
  /** The imported history of agents, with the progress of an import. */
  history: liveQuery({ queryKey: ['history'], read: () => api('getHistory'), apply: latestProgress }),
  /** The last 30 days. */
  usage: query(['usage'], () => readRecentUsage(cachedTimeZone())),
  prices: volatileQuery(['prices'], () => api('getPrices')),
  /** For the models without a price. */
  priceSuggestions: volatileQuery(
    ['price-suggestions'],
    async () => (await api('listPriceSuggestions')).data,
  ),
  backups: volatileQuery(['backups'], () => api('listBackups')),
  /** Local model servers that answer on their usual ports. */
  localServers: volatileQuery(['local-servers'], async () => (await api('discoverProviders')).data),
  environmentCredentials: volatileQuery(
    ['environment-credentials'],
    async () => (await api('listEnvironmentCredentials')).data,
  ),
} as const

/** The list of models follows from the providers. */
export async function refreshProviders(): Promise<void> {
  await Promise.all([refresh(queries.providers), refresh(queries.models)])
}

/** The time zone of days and months; that of the system as long as the account cannot be read. */
export async function readTimeZone(): Promise<string> {
  const known = await queryClient.ensureQueryData(account).catch(() => null)
  return known?.timeZone ?? systemTimeZone()
}

/** The time zone, as far as it is known. */
export function knownTimeZone(): string {
  return cachedTimeZone() ?? systemTimeZone()
}

function latestAccount(account: Account, events: readonly LiveEvent[]): Account {
  const last = events.findLast((event) => event.type === 'account')
  return last?.account ?? account
}

function latestProgress(state: HistoryState, events: readonly LiveEvent[]): HistoryState {
  const last = events.findLast((event) => event.type === 'history')
  return last ? { ...state, running: last.running } : state
}

function mergeKeys(keys: KeyMetadata[], events: readonly LiveEvent[]): KeyMetadata[] {
  const changed = new Map<string, KeyMetadata>()
  for (const event of events) if (event.type === 'key') changed.set(event.key.id, event.key)
  if (changed.size === 0) return keys
  return [...keys.filter(({ id }) => !changed.has(id)), ...changed.values()].toSorted(byAge)
}

function byAge(a: KeyMetadata, b: KeyMetadata): number {
  return b.createdAt.localeCompare(a.createdAt) || a.id.localeCompare(b.id)
}
