import {
  Activity,
  Boxes,
  CircleDollarSign,
  Copy,
  KeyRound,
  Layers,
  List,
  MessageSquare,
  Search,
  ServerCog,
} from 'lucide-react'
import { toast } from 'sonner'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { isChatModel } from '../../../shared/api/terms.ts'
import { getRequestName } from '../../data/request-log.ts'
import { copyText } from '../../kit/copy.tsx'
import { formatAgo, isolate } from '../../kit/format.ts'
import { type Chat, getTitle } from '../../parts/chats/chat.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { openLimitDialog } from '../../parts/limits/limit-dialog-state.ts'
import type { Action, Entry, Navigate } from './rank.ts'

function copyAction(label: string, text: string): Action {
  return {
    icon: Copy,
    label,
    run: () => void copyText(text).then((done) => done && toast.success('Copied.')),
  }
}

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
    const capVerb = spendLimitUsd === null ? 'Set cap' : 'Raise cap'
    const cap = { icon: CircleDollarSign, run: () => openLimitDialog(id) }
    const requests = { icon: List, run: () => navigate(`/requests?key=${encodeURIComponent(id)}`) }
    const actions: Action[] = [
      { ...cap, label: capVerb },
      { ...requests, label: 'View requests' },
      {
        icon: Layers,
        label: 'View sessions',
        run: () => navigate(`/sessions?key=${encodeURIComponent(id)}`),
      },
      copyAction('Copy ID', id),
    ]
    const own: Entry[] = [
      {
        ...key,
        id,
        icon: KeyRound,
        label: name,
        isShownFirst: recent.includes(id),
        actions,
        run: () => navigate(`/keys?edit=${id}`),
      },
      { ...key, ...cap, id: `cap ${id}`, label: `${capVerb} of ${isolate(name)}`, isShownFirst: isNearCap },
    ]
    return [
      ...(revokedAt === null ? own : []),
      { ...key, ...requests, id: `requests ${id}`, label: `View requests of ${name}` },
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
      usePlayground.getState().startChat(id)
      navigate('/playground')
    }
    const canChat = enabled && isChatModel(model)
    const chat = { icon: MessageSquare, run: open }
    const actions: Action[] = [
      ...(canChat ? [{ ...chat, label: 'Open in Playground' }] : []),
      {
        icon: List,
        label: 'View requests',
        run: () => navigate(`/requests?model=${encodeURIComponent(id)}`),
      },
      copyAction('Copy name', id),
    ]
    return [
      { ...entry, id: `model ${id}`, icon: Boxes, label: id, run: edit, actions },
      ...(canChat ? [{ ...entry, ...chat, id: `chat ${id}`, label: `Open ${id} in Playground` }] : []),
    ]
  })
}

export function createProviderEntries(providers: readonly ProviderRecord[], navigate: Navigate): Entry[] {
  return providers
    .filter(({ configured }) => configured)
    .flatMap(({ id, name }): Entry[] => {
      const provider = { group: 'Providers' as const, keywords: `${id} provider` }
      const edit = () => navigate(`/providers?edit=${encodeURIComponent(id)}`)
      const models = { icon: Boxes, run: () => navigate(`/models?provider=${encodeURIComponent(id)}`) }
      const requests = () => navigate(`/requests?provider=${encodeURIComponent(id)}`)
      const actions: Action[] = [
        { ...models, label: 'View models' },
        { icon: List, label: 'View requests', run: requests },
      ]
      return [
        { ...provider, id: `provider ${id}`, icon: ServerCog, label: name, run: edit, actions },
        { ...provider, ...models, id: `models ${id}`, label: `View models of ${isolate(name)}` },
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
    actions: createRequestActions(record, navigate),
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

function createRequestActions({ id, keyId, model, sessionId }: RequestRecord, navigate: Navigate): Action[] {
  const filter = (label: string, name: string, value: string | null): Action[] =>
    value === null
      ? []
      : [{ icon: List, label, run: () => navigate(`/requests?${name}=${encodeURIComponent(value)}`) }]
  const session = () => navigate(`/sessions/${sessionId}`)
  return [
    ...(sessionId === null ? [] : [{ icon: Layers, label: 'View its session', run: session }]),
    ...filter('View requests of its key', 'key', keyId),
    ...filter('View requests of its model', 'model', model),
    copyAction('Copy ID', id),
  ]
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
