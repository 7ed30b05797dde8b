import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { Cable, Settings } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useDeferredValue, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { useBaseUrl } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { wholeLog } from '../../data/request-filter.ts'
import { requestLog } from '../../data/request-log.ts'
import { sections, settingHref } from '../../features/settings/settings-index.ts'
import { useReturnFocus } from '../../kit/dialog.tsx'
import { isDesktop } from '../../kit/is-desktop.ts'
import { NothingFound } from '../../kit/model-picker.tsx'
import { usePlayground } from '../../parts/chats/playground-store.ts'
import { listTools } from '../../parts/snippets/build-snippets.ts'
import {
  createActionEntries,
  createHelpEntries,
  createThemeEntries,
  createViewEntries,
} from './command-entries.ts'
import { closePalette, listRecent, rememberRecent, usePalette } from './palette-state.ts'
import {
  createSearchIndex,
  type Entry,
  GROUPS,
  type Group,
  groupNames,
  type Navigate,
  type SearchIndex,
  search,
} from './rank.ts'
import {
  createChatEntries,
  createKeyEntries,
  createModelEntries,
  createProviderEntries,
  createRequestEntries,
  createRequestSearch,
} from './record-entries.ts'

const groupClasses =
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-3 [&_[cmdk-group-heading]]:text-xs'

/** The entries for what is typed, and the one that is chosen. */
function usePaletteModel() {
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const text = useDeferredValue(typed.trim())
  const entries = useEntries(navigate)
  const { data: log } = useQuery(requestLog(wholeLog))
  const records = log?.records
  const index = useMemo(
    () => createSearchIndex([...entries, ...createRequestEntries(records ?? [], navigate, Date.now())]),
    [entries, records, navigate],
  )
  const [recent] = useState(listRecent)
  const groups = useMemo(() => findEntries(index, text, recent), [index, text, recent])
  const search = text.length > 1 ? createRequestSearch(text, navigate) : null
  const [chosen, setChosen] = useState('')
  const shown = [...groups.flatMap(({ entries: found }) => found), ...(search ? [search] : [])]
  return {
    typed,
    type(next: string) {
      setTyped(next)
      setChosen('')
    },
    text,
    groups,
    search,
    setChosen,
    // The first one, unless the user moved on: cmdk has none once all entries are replaced.
    selected: shown.find(({ id }) => id === chosen) ?? shown[0],
    select(entry: Entry) {
      closePalette()
      if (entry !== search) rememberRecent(entry.id)
      entry.run()
    },
    findFirst: (wanted: string) => findEntries(index, wanted, recent).flatMap((group) => group.entries)[0],
  }
}

export function PalettePanel() {
  const { typed, type, text, groups, search, selected, setChosen, select, findFirst } = usePaletteModel()
  const returnFocus = useReturnFocus()
  // The last input may not be shown yet: it counts, and not the entry that is still selected.
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target } = event
    if (key !== 'Enter' || event.nativeEvent.isComposing || !(target instanceof HTMLInputElement)) return
    if (target.value.trim() === text) return
    event.preventDefault()
    const first = findFirst(target.value.trim())
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
            value={selected?.id ?? ''}
            onValueChange={setChosen}
            onKeyDown={onKeyDown}
          >
            <Command.Input
              value={typed}
              onValueChange={type}
              placeholder="Search or run a command"
              className="h-12 w-full border-line border-b bg-transparent px-4 text-lg outline-none placeholder:text-ink-3"
            />
            <Command.List className="max-h-[60vh] overflow-y-auto p-1.5">
              <NothingFound>No results.</NothingFound>
              {groups.map(({ name, entries: found }) => (
                <Command.Group key={name} heading={GROUPS[name]} className={groupClasses}>
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

interface ItemProps {
  entry: Entry
  onSelect: (entry: Entry) => void
}

function Item({ entry, onSelect }: ItemProps) {
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

/**
 * The entries that match, in groups: that with the best match first. Without a text, those that are shown first; `recent` has the
 * ids of those above all others.
 */
export function findEntries(
  index: SearchIndex<Entry>,
  text: string,
  recent: readonly string[] = [],
): EntryGroup[] {
  if (text === '') {
    const all = index.map(({ entry }) => entry)
    const used = recent.flatMap((id): Entry[] => {
      const entry = all.find((each) => each.id === id)
      return entry ? [{ ...entry, group: 'Recent' }] : []
    })
    const first = [...used, ...all.filter(({ id, isShownFirst }) => isShownFirst && !recent.includes(id))]
    return groupNames
      .map((name) => ({ name, entries: first.filter(({ group }) => group === name) }))
      .filter(({ entries }) => entries.length > 0)
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

const tools = listTools()

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
