import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { Activity, Cable, Search, Settings } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useDeferredValue, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { useBaseUrl } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { wholeLog } from '../../data/request-listing.ts'
import { requestLog } from '../../data/request-log.ts'
import { getRequestName } from '../../data/request-name.ts'
import { sections, settingHref } from '../../features/settings/settings-index.ts'
import { formatAgo } from '../../kit/format.ts'
import { isDesktop } from '../../kit/is-desktop.ts'
import { NothingFound } from '../../kit/nothing-found.tsx'
import { useReturnFocus } from '../../kit/return-focus.ts'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { buildSnippets, DEFAULT_BASE_URL } from '../../parts/snippets/build-snippets.ts'
import {
  createActionEntries,
  createHelpEntries,
  createThemeEntries,
  createViewEntries,
} from './command-entries.ts'
import { closePalette, usePalette } from './palette-state.ts'
import {
  createSearchIndex,
  type Entry,
  GROUPS,
  type Group,
  type Navigate,
  type SearchIndex,
  search,
} from './rank.ts'
import {
  createChatEntries,
  createKeyEntries,
  createModelEntries,
  createProviderEntries,
} from './record-entries.ts'

const groupClasses =
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-3 [&_[cmdk-group-heading]]:text-xs'

export function PalettePanel() {
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const text = useDeferredValue(typed.trim())
  const returnFocus = useReturnFocus()
  const entries = useEntries(navigate)
  const { data: log } = useQuery(requestLog(wholeLog))
  const records = log?.records
  const index = useMemo(
    () => createSearchIndex([...entries, ...createRequestEntries(records ?? [], navigate, Date.now())]),
    [entries, records, navigate],
  )
  const groups = useMemo(() => findEntries(index, text), [index, text])
  const search = text.length > 1 ? createRequestSearch(text, navigate) : null
  const [chosen, setChosen] = useState('')
  const ids = [...groups.flatMap(({ entries: found }) => found), ...(search ? [search] : [])].map(
    ({ id }) => id,
  )
  const select = (entry: Entry) => {
    closePalette()
    entry.run()
  }
  // The last input may not be shown yet: it counts, and not the entry that is still selected.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    const { target } = event
    if (!(target instanceof HTMLInputElement) || target.value.trim() === text) return
    event.preventDefault()
    const [first] = findEntries(index, target.value.trim()).flatMap(({ entries: found }) => found)
    if (first) select(first)
  }

  return (
    <Dialog.Root open onOpenChange={(open) => usePalette.setState({ open })}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-50 animate-fade bg-overlay" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className="-translate-x-1/2 fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl animate-fade overflow-hidden rounded-xl border border-line bg-raised shadow-float"
        >
          <Dialog.Title className="sr-only">Search and commands</Dialog.Title>
          <Command
            loop
            shouldFilter={false}
            label="Search and commands"
            // The first one, unless the user moved on: cmdk has none once all entries are replaced.
            value={ids.includes(chosen) ? chosen : (ids[0] ?? '')}
            onValueChange={setChosen}
            onKeyDown={onKeyDown}
          >
            <Command.Input
              value={typed}
              onValueChange={(next) => {
                setTyped(next)
                setChosen('')
              }}
              placeholder="Search or run a command"
              className="h-12 w-full border-line border-b bg-transparent px-4 text-lg outline-none placeholder:text-ink-3"
            />
            <Command.List className="max-h-[60vh] overflow-y-auto p-1.5">
              <NothingFound>No results.</NothingFound>
              {groups.map(({ name, entries: found }) => (
                <Command.Group key={name} heading={name} className={groupClasses}>
                  {found.map((entry) => (
                    <Item key={entry.id} entry={entry} onSelect={select} />
                  ))}
                </Command.Group>
              ))}
              {search ? (
                <Command.Group heading="All requests" className={groupClasses}>
                  <Item entry={search} onSelect={select} />
                </Command.Group>
              ) : null}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Item({ entry, onSelect }: { entry: Entry; onSelect: (entry: Entry) => void }) {
  const { id, label, hint, icon: Icon } = entry
  return (
    <Command.Item
      value={id}
      onSelect={() => onSelect(entry)}
      className="flex h-9 items-center gap-2.5 rounded-md px-2.5 data-[selected=true]:bg-highlight"
    >
      <Icon size={15} aria-hidden className="shrink-0 text-ink-3" />
      <span className="min-w-24 flex-1 truncate">{label}</span>
      {hint ? <span className="max-w-[50%] shrink-0 truncate text-ink-3 text-sm">{hint}</span> : null}
    </Command.Item>
  )
}

/** A text that is in several groups most likely means the record itself, not a request or a chat of it. */
const WEIGHTS: Partial<Record<Group, number>> = {
  Keys: 1.02,
  Tools: 0.9,
  Help: 0.9,
  Chats: 0.7,
  Requests: 0.5,
}

/** The number of entries of each group; more letters find the rest. */
const MAX = 6

export interface EntryGroup {
  name: Group
  entries: readonly Entry[]
}

/** The entries that match, in groups: that with the best match first. Without a text, those that are shown first. */
export function findEntries(index: SearchIndex<Entry>, text: string): EntryGroup[] {
  if (text === '') {
    const first = index.map(({ entry }) => entry).filter(({ isShownFirst }) => isShownFirst)
    return GROUPS.map((name) => ({ name, entries: first.filter(({ group }) => group === name) })).filter(
      ({ entries }) => entries.length > 0,
    )
  }
  const groups = new Map<Group, { best: number; entries: Entry[] }>()
  for (const { entry, score } of search(index, text)) {
    const group = groups.get(entry.group)
    if (group === undefined) {
      groups.set(entry.group, { best: score * (WEIGHTS[entry.group] ?? 1), entries: [entry] })
    } else if (group.entries.length < MAX) {
      group.entries.push(entry)
    }
  }
  return [...groups].sort(([, a], [, b]) => b.best - a.best).map(([name, { entries }]) => ({ name, entries }))
}

/** All that the palette finds, except requests. */
export function useEntries(navigate: Navigate): readonly Entry[] {
  const { data: keys } = useQuery(queries.keys)
  const { data: models } = useQuery(queries.models)
  const { data: providers } = useQuery(queries.providers)
  const { data: account } = useQuery(queries.account)
  const isPaused = account?.pausedAt != null
  const chats = usePlayground((store) => store.chats)
  const baseUrl = useBaseUrl()
  return useMemo(
    () => [
      ...createViewEntries(navigate),
      ...createActionEntries(navigate, baseUrl, isPaused),
      ...createKeyEntries(keys ?? [], navigate),
      ...createModelEntries(models ?? [], providers ?? [], navigate),
      ...createProviderEntries(providers ?? [], navigate),
      ...createChatEntries(chats, navigate),
      ...createSettingEntries(navigate),
      ...createToolEntries(navigate),
      ...createHelpEntries(navigate),
      ...createThemeEntries(),
    ],
    [keys, models, providers, chats, baseUrl, isPaused, navigate],
  )
}

export function createSettingEntries(navigate: Navigate): Entry[] {
  return sections.flatMap(({ title, settings }) =>
    settings
      .filter(({ desktopOnly }) => isDesktop || desktopOnly === undefined)
      .map(({ name, keywords }) => ({
        id: `setting ${name}`,
        group: 'Settings',
        icon: Settings,
        label: name,
        hint: title,
        keywords: `${keywords} ${title.toLowerCase()} setting`,
        run: () => navigate(settingHref(name)),
      })),
  )
}

/** Only their names are used. */
const tools = buildSnippets({ baseUrl: DEFAULT_BASE_URL, secret: '', model: '' })

export function createToolEntries(navigate: Navigate): Entry[] {
  return tools.map(({ id, name }) => ({
    id: `tool ${id}`,
    group: 'Tools',
    icon: Cable,
    label: `Connect ${name}`,
    keywords: 'set up tool',
    run: () => navigate(`/connect?tool=${id}`),
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
