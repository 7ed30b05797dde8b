import { toast } from 'sonner'
import { create } from 'zustand'
import type { AccountUpdate, Backup, RestoreOptions, SettingsUpdate } from '../../shared/api/account.ts'
import type { KeyCreate, KeyCreated, KeyMetadata, KeyUpdate, PauseAll } from '../../shared/api/keys.ts'
import type { ModelOverride } from '../../shared/api/models.ts'
import type { PriceStatus } from '../../shared/api/pricing.ts'
import type { ProviderPut } from '../../shared/api/providers.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import type { DesktopState } from '../../shared/desktop/desktop.ts'
import { ApiError, throwDesktopError } from '../kit/api-error.ts'
import { reportFailure } from '../kit/show-error.ts'
import { api } from './api.ts'
import { applyResponse } from './live-queries.ts'
import { queries, refreshProviders } from './queries.ts'
import { refresh, replace } from './query-client.ts'

// Changes at the gateway. Each resolves once the queries that it affects are up to date, and throws ApiError when it fails.

export async function createKey(input: KeyCreate): Promise<KeyCreated> {
  const created = await api('createKey', { body: input })
  useNewSecrets.getState().addSecret(created.id, created.secret)
  await refresh(queries.keys)
  return created
}

export const updateKey = (id: string, body: KeyUpdate) => showKey(api('updateKey', { params: { id }, body }))
export const resumeKey = (id: string) => showKey(api('resumeKey', { params: { id } }))
export const revokeKey = (id: string) => showKey(api('revokeKey', { params: { id } }))
export const pauseKey = (id: string, running: PauseAll['running']) =>
  showKey(api('pauseKey', { params: { id }, body: { running } }))

async function showKey(change: Promise<KeyMetadata>): Promise<void> {
  applyResponse({ type: 'key', key: await change })
}

export async function pauseAll(running: PauseAll['running']): Promise<void> {
  await replace(queries.account, await api('pauseAll', { body: { running } }))
}

export async function resumeAll(): Promise<void> {
  await replace(queries.account, await api('resumeAll'))
}

export async function updateAccount(update: AccountUpdate): Promise<void> {
  applyResponse({ type: 'account', account: await api('updateAccount', { body: update }) })
}

export async function updateSettings(update: SettingsUpdate): Promise<void> {
  await replace(queries.settings, await api('updateSettings', { body: update }))
  // The account's sums by day and month depend on the time zone.
  if ('timeZone' in update) await refresh(queries.account)
  if ('containerAccess' in update) await refresh(queries.gateway)
  if ('network' in update) await refresh(queries.networkStatus)
}

/** Replaces any earlier override. */
export async function putModel(id: string, override: ModelOverride): Promise<void> {
  await api('putModel', { params: { id }, body: override })
  await refresh(queries.models)
}

/** Changes several models; a null override is none. When one fails, those before it are changed. */
export async function changeOverrides(changes: ReadonlyMap<string, ModelOverride | null>): Promise<void> {
  try {
    for (const [id, override] of changes) {
      if (override === null) await api('deleteModel', { params: { id } })
      else await api('putModel', { params: { id }, body: override })
    }
  } finally {
    await refresh(queries.models)
  }
}

export async function deleteOverride(id: string): Promise<void> {
  await api('deleteModel', { params: { id } })
  await refresh(queries.models)
}

export async function putProvider(id: string, change: ProviderPut): Promise<void> {
  await api('putProvider', { params: { id }, body: change })
  await refreshProviders()
}

/** Sets up a known provider with the credential in the gateway's environment. */
export async function importProvider(id: string): Promise<void> {
  await api('importProvider', { params: { id } })
  await refreshProviders()
}

export async function removeProvider(id: string): Promise<void> {
  await api('deleteProvider', { params: { id } })
  await refreshProviders()
}

/** Reads the provider's own model list; resolves to the number of its models. */
export async function fetchProviderModels(id: string): Promise<number> {
  const { data } = await api('fetchProviderModels', { params: { id } })
  await refreshProviders()
  return data.length
}

/** Fetches the newest price database. When that fails, the old prices stay in use. */
export async function fetchNewestPrices(): Promise<PriceStatus> {
  const prices = await api('refreshPrices')
  await replace(queries.prices, prices)
  await refresh(queries.models)
  return prices
}

/** Sets what an unsettled request cost, in USD. */
export const settleRequest = (id: string, costUsd: number) =>
  showRequest(api('settleRequest', { params: { id }, body: { costUsd } }))

/** Ends the reservation that a request without an answer has left. */
export const releaseRequest = (id: string) => showRequest(api('releaseRequest', { params: { id } }))

async function showRequest(change: Promise<RequestRecord>): Promise<void> {
  applyResponse({ type: 'request', request: await change })
}

export async function createBackup(): Promise<Backup> {
  const backup = await api('createBackup')
  await refresh(queries.backups)
  return backup
}

/** Schedules the restore of a backup for the next start. */
export async function restoreBackup(id: string, body: RestoreOptions): Promise<void> {
  await replace(queries.backups, await api('restoreBackup', { params: { id }, body }))
}

export async function cancelRestore(id: string): Promise<void> {
  await replace(queries.backups, await api('cancelRestore', { params: { id } }))
}

/** Throws ApiError when the gateway cannot listen on the port. */
export async function setPort(port: number): Promise<void> {
  const desktop = await window.desktop?.setPort(port).catch(throwDesktopError)
  if (!desktop) return
  await replace(queries.desktop, desktop)
  await refresh(queries.gateway)
  if (desktop.listenError) {
    throw new ApiError({ status: 0, type: 'server_error', message: desktop.listenError })
  }
}

export async function setLaunchAtLogin(on: boolean): Promise<void> {
  const desktop: DesktopState | undefined = await window.desktop
    ?.setLaunchAtLogin(on)
    .catch(throwDesktopError)
  if (desktop) await replace(queries.desktop, desktop)
}

/** The time for which prompts and answers are stored when the user wants them only for now. */
export const LIMITED_MINUTES = 30

export type BodyStorage = 'off' | 'limited' | 'always'

export const bodyStorageUpdates: Record<BodyStorage, () => SettingsUpdate> = {
  off: () => ({ storeBodies: false, storeBodiesUntil: null }),
  limited: () => ({
    storeBodies: false,
    storeBodiesUntil: new Date(Date.now() + LIMITED_MINUTES * 60_000).toISOString(),
  }),
  always: () => ({ storeBodies: true, storeBodiesUntil: null }),
}

interface NewSecretsStore {
  /** Secrets of keys created since the window opened, by key id: for snippets ready to paste. Only in memory. */
  secrets: Readonly<Record<string, string>>
  addSecret(keyId: string, secret: string): void
}

export const useNewSecrets = create<NewSecretsStore>()((set, get) => ({
  secrets: {},
  addSecret: (keyId, secret) => set({ secrets: { ...get().secrets, [keyId]: secret } }),
}))

export interface UndoableChange {
  /** Says what was saved. */
  message: string
  save: () => Promise<void>
  undo: () => Promise<void>
}

/** The message about the last change. */
let shown: string | number | null = null

/** Saves a setting, confirms it, and offers to undo it. Throws when it cannot be saved. */
export async function saveWithUndo({ message, save, undo }: UndoableChange): Promise<void> {
  await save()
  // Only the last change is offered to be undone: several messages would cover the next setting.
  if (shown !== null) toast.dismiss(shown)
  shown = toast.success(message, {
    duration: 8000,
    action: {
      label: 'Undo',
      onClick: () => void reportFailure(undo()),
    },
  })
}
