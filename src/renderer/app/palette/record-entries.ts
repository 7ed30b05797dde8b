import {
  Activity,
  Boxes,
  CircleDollarSign,
  KeyRound,
  List,
  MessageSquare,
  Search,
  ServerCog,
} from 'lucide-react'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { isChatModel } from '../../../shared/api/terms.ts'
import { getRequestName } from '../../data/request-log.ts'
import { formatAgo, isolate } from '../../kit/format.ts'
import { type Chat, getTitle } from '../../parts/chats/chat.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { openLimitDialog } from '../../parts/limits/limit-dialog-state.ts'
import type { Entry, Navigate } from './rank.ts'

/** Keys that are shown before anything is typed. */
const RECENT_KEYS = 3
/** From this part of its cap on, a key is likely to need another one soon. */
const NEAR_CAP = 0.9

/** Each key, and what is done with it most. */
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
    const own: Entry[] = [
      {
        ...key,
        id,
        icon: KeyRound,
        label: name,
        isShownFirst: recent.includes(id),
        run: () => navigate(`/keys?edit=${id}`),
      },
      {
        ...key,
        id: `cap ${id}`,
        icon: CircleDollarSign,
        label: `${spendLimitUsd === null ? 'Set cap' : 'Raise cap'} of ${isolate(name)}`,
        isShownFirst: isNearCap,
        run: () => openLimitDialog(id),
      },
    ]
    return [
      ...(revokedAt === null ? own : []),
      {
        ...key,
        id: `requests ${id}`,
        icon: List,
        label: `View requests of ${name}`,
        run: () => navigate(`/requests?key=${encodeURIComponent(id)}`),
      },
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
    const chat: Entry = {
      ...entry,
      id: `chat ${id}`,
      icon: MessageSquare,
      label: `Open ${id} in Playground`,
      run() {
        usePlayground.getState().startChat(id)
        navigate('/playground')
      },
    }
    return [
      {
        ...entry,
        id: `model ${id}`,
        icon: Boxes,
        label: id,
        run: () => navigate(`/models?edit=${encodeURIComponent(id)}`),
      },
      ...(enabled && isChatModel(model) ? [chat] : []),
    ]
  })
}

export function createProviderEntries(providers: readonly ProviderRecord[], navigate: Navigate): Entry[] {
  return providers
    .filter(({ configured }) => configured)
    .flatMap(({ id, name }): Entry[] => {
      const provider = { group: 'Providers' as const, keywords: `${id} provider` }
      return [
        {
          ...provider,
          id: `provider ${id}`,
          icon: ServerCog,
          label: name,
          run: () => navigate(`/providers?edit=${encodeURIComponent(id)}`),
        },
        {
          ...provider,
          id: `models ${id}`,
          icon: Boxes,
          label: `View models of ${isolate(name)}`,
          run: () => navigate(`/models?provider=${encodeURIComponent(id)}`),
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

/** The newest requests that the window has read. */
const SEARCHED = 500
/** The number of recent entries shown before anything is typed. */
const RECENT = 3
const REQUEST_ID = /^req_\w{4,}$/

export function createRequestEntries(
  records: readonly RequestRecord[],
  navigate: Navigate,
  nowMs: number,
): Entry[] {
  return records.slice(0, SEARCHED).map((record, at) => ({
    id: record.id,
    group: 'Requests',
    icon: Activity,
    isShownFirst: at < RECENT,
    label: getRequestName(record),
    hint: `${record.keyName}, ${record.status}, ${formatAgo(record.createdAt, nowMs)}`,
    keywords: [
      record.id,
      record.keyName,
      record.client,
      record.provider,
      record.error?.message,
      record.status,
    ]
      .filter(Boolean)
      .join(' '),
    run: () => navigate(`/requests/${record.id}`),
  }))
}

/** Entries for requests that are not among the newest: one by its id, or a search of all of them. */
export function createRequestSearch(text: string, navigate: Navigate): Entry {
  return REQUEST_ID.test(text)
    ? {
        id: 'request by id',
        group: 'Requests',
        icon: Activity,
        label: `Open request ${text}`,
        run: () => navigate(`/requests/${text}`),
      }
    : {
        id: 'search requests',
        group: 'Requests',
        icon: Search,
        label: `Search all requests for “${text}”`,
        run: () => navigate(`/requests?q=${encodeURIComponent(text)}`),
      }
}
