import { Boxes, CircleDollarSign, KeyRound, List, MessageSquare, ServerCog } from 'lucide-react'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import { isChatModel } from '../../../shared/api/terms.ts'
import { isolate } from '../../kit/format.ts'
import type { Chat } from '../../parts/chats/chat-storage.ts'
import { getTitle } from '../../parts/chats/chat-tree.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { openLimitDialog } from '../../parts/limits/limit-dialog-state.ts'
import type { Entry, Navigate } from './rank.ts'

/** Keys that are shown before anything is typed. */
const RECENT_KEYS = 3
/** From this part of its cap on, a key is likely to need another one soon. */
const NEAR_CAP = 0.9

/** Each key, and what is done with it most. Its secret is not stored, so there is nothing to copy. */
export function createKeyEntries(keys: readonly KeyMetadata[], navigate: Navigate): Entry[] {
  const recent = keys
    .filter(
      ({ revokedAt, lastUsedAt, scope }) => revokedAt === null && lastUsedAt !== null && scope !== 'admin',
    )
    .toSorted((a, b) => (b.lastUsedAt ?? '').localeCompare(a.lastUsedAt ?? ''))
    .slice(0, RECENT_KEYS)
    .map(({ id }) => id)
  return keys.flatMap(({ id, name, revokedAt, spendLimitUsd, spendUsd }): Entry[] => {
    const isNearCap = spendLimitUsd !== null && spendUsd >= spendLimitUsd * NEAR_CAP
    const key = { group: 'Keys' as const, keywords: `${id} key` }
    const requests = { ...key, id: `requests ${id}`, icon: List, label: `View requests of ${name}` }
    const cap = spendLimitUsd === null ? `Set cap of ${isolate(name)}` : `Raise cap of ${isolate(name)}`
    const actions: Entry[] = [
      {
        ...{ ...key, id, icon: KeyRound, label: name, isShownFirst: recent.includes(id) },
        run: () => navigate(`/keys?edit=${id}`),
      },
      {
        ...{ ...key, id: `cap ${id}`, icon: CircleDollarSign, label: cap, isShownFirst: isNearCap },
        run: () => openLimitDialog(id),
      },
    ]
    return [
      ...(revokedAt === null ? actions : []),
      { ...requests, run: () => navigate(`/requests?key=${encodeURIComponent(id)}`) },
    ]
  })
}

export function createModelEntries(
  models: readonly ModelRecord[],
  providers: readonly ProviderRecord[],
  navigate: Navigate,
): Entry[] {
  const names = new Map(providers.map(({ id, name }) => [id, name]))
  return models.flatMap((model): Entry[] => {
    const { id, name, provider, enabled } = model
    const hint = names.get(provider) ?? provider
    const entry = { group: 'Models' as const, hint, keywords: `${name} ${provider} model` }
    const edit = () => navigate(`/models?edit=${encodeURIComponent(id)}`)
    const open = () => {
      usePlayground.getState().startChat()
      usePlayground.getState().change({ models: [id] })
      navigate('/playground')
    }
    return [
      { ...entry, id: `model ${id}`, icon: Boxes, label: id, run: edit },
      ...(enabled && isChatModel(model)
        ? [{ ...entry, id: `chat ${id}`, icon: MessageSquare, label: `Open ${id} in Playground`, run: open }]
        : []),
    ]
  })
}

export function createProviderEntries(providers: readonly ProviderRecord[], navigate: Navigate): Entry[] {
  return providers
    .filter(({ configured }) => configured)
    .flatMap(({ id, name }): Entry[] => {
      const provider = { group: 'Providers' as const, keywords: `${id} provider` }
      const edit = () => navigate(`/providers?edit=${encodeURIComponent(id)}`)
      const models = () => navigate(`/models?provider=${encodeURIComponent(id)}`)
      return [
        { ...provider, id: `provider ${id}`, icon: ServerCog, label: name, run: edit },
        {
          ...provider,
          id: `models ${id}`,
          icon: Boxes,
          label: `View models of ${isolate(name)}`,
          run: models,
        },
      ]
    })
}

export function createChatEntries(chats: readonly Chat[], navigate: Navigate): Entry[] {
  return chats
    .filter(({ exchanges }) => exchanges.length > 0)
    .map((chat) => ({
      id: `chat ${chat.id}`,
      group: 'Chats',
      icon: MessageSquare,
      label: getTitle(chat),
      hint: chat.models.filter(Boolean).join(', '),
      keywords: 'chat playground',
      run() {
        usePlayground.getState().openChat(chat.id)
        navigate('/playground')
      },
    }))
}
