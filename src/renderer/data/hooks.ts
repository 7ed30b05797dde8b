import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { PlanId } from '../../shared/api/account.ts'
import type { ModelRecord } from '../../shared/api/models.ts'
import type { ProviderRecord } from '../../shared/api/providers.ts'
import { isChatModel } from '../../shared/api/terms.ts'
import { queries } from './queries.ts'

const noModels: ModelRecord[] = []

/** The models that can be served now. Empty until they have been read. */
export function useEnabledModels(): ModelRecord[] {
  return useQuery({ ...queries.models, select: selectEnabled }).data ?? noModels
}

/** The models that answer chats. */
export function useChatModels(): ModelRecord[] {
  return useQuery({ ...queries.models, select: selectChatModels }).data ?? noModels
}

export function selectChatModels(models: readonly ModelRecord[]): ModelRecord[] {
  return selectEnabled(models).filter(isChatModel)
}

export function selectEnabled(models: readonly ModelRecord[]): ModelRecord[] {
  return models.filter(({ enabled }) => enabled)
}

/** The time zone in which the user's days and months are counted; undefined until it has been read. */
export function useTimeZone(): string | undefined {
  return useQuery({ ...queries.account, select: ({ timeZone }) => timeZone }).data
}

/** The base URL for tools (it ends in `/v1`); null while nothing listens or nothing is known. */
export function useBaseUrl(): string | null {
  const { data: desktop } = useQuery(queries.desktop)
  const { data: info } = useQuery(queries.gateway)
  const origin = desktop ? desktop.baseUrl : (info?.baseUrl ?? null)
  return origin === null ? null : `${origin.replace(/\/$/, '')}/v1`
}

/** The provider's name on the screen; the id of one that was removed. */
export function useProviderName(): (id: string) => string {
  const { data: providers } = useQuery(queries.providers)
  return useCallback(
    (id: string) => providers?.find((provider) => provider.id === id)?.name ?? id,
    [providers],
  )
}

const noNames: ReadonlyMap<string, string> = new Map()
const selectNames = (providers: readonly ProviderRecord[]) =>
  new Map(providers.map(({ id, name }) => [id, name]))

/** The names of providers, by id. Empty until they have been read. */
export function useProviderNames(): ReadonlyMap<string, string> {
  return useQuery({ ...queries.providers, select: selectNames }).data ?? noNames
}

/** The plan's name on the screen. */
export function usePlanName(): (id: PlanId) => string {
  const { data: plans } = useQuery(queries.plans)
  return (id) => plans?.find((plan) => plan.id === id)?.name ?? id
}
