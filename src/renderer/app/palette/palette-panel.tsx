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
  /** The entry whose actions are shown. */
  const [parent, setParent] = useState<Entry | null>(null)
  const actions = useMemo(() => (parent ? createActionIndex(parent) : null), [parent])
  const groups = useMemo(() => findEntries(actions ?? index, text, recent), [actions, index, text, recent])
  const search = text.length > 1 && !parent ? createRequestSearch(text, navigate) : null
  const [chosen, setChosen] = useState('')
  const shown = [...groups.flatMap(({ entries: found }) => found), ...(search ? [search] : [])]
  const type = (next: string) => {
    setTyped(next)
    setChosen('')
  }
  return {
    typed,
    type,
    text,
    groups,
    search,
    parent,
    setChosen,
    // The first one, unless the user moved on: cmdk has none once all entries are replaced.
    selected: shown.find(({ id }) => id === chosen) ?? shown[0],
    select(entry: Entry) {
      closePalette()
      if (entry !== search) rememberRecent((parent ?? entry).id)
      entry.run()
    },
    showActions(entry: Entry | null) {
      type('')
      setParent(entry)
    },
    findFirst: (wanted: string) =>
      findEntries(actions ?? index, wanted, recent).flatMap((group) => group.entries)[0],
  }
}

export function PalettePanel() {
  const { typed, type, text, groups, search, parent, selected, setChosen, select, showActions, findFirst } =
    usePaletteModel()
  const returnFocus = useReturnFocus()
  // The last input may not be shown yet: it counts, and not the entry that is still selected.
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target } = event
    if (event.nativeEvent.isComposing || !(target instanceof HTMLInputElement)) return
    if (key === 'Tab' && !event.shiftKey && selected?.actions) {
      event.preventDefault()
      showActions(selected)
    } else if (key === 'Backspace' && parent && target.value === '') {
      showActions(null)
    } else if (key === 'Enter' && target.value.trim() !== text) {
      event.preventDefault()
      const first = findFirst(target.value.trim())
      if (first) select(first)
    }
  }
  return (
    <Dialog.Root open onOpenChange={(open) => usePalette.setState({ open })}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-50 animate-fade bg-overlay" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          onEscapeKeyDown={(event) => {
            if (!parent) return
            event.preventDefault()
            showActions(null)
          }}
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
              placeholder={parent ? `Actions for ${parent.label}` : 'Search or run a command'}
              className="h-12 w-full border-line border-b bg-transparent px-4 text-lg outline-none placeholder:text-ink-3"
            />
            <Command.List className="max-h-[60vh] overflow-y-auto p-1.5">
              <NothingFound>No results.</NothingFound>
              {groups.map(({ name, entries: found }) => (
                <Command.Group key={name} heading={parent?.label ?? GROUPS[name]} className={groupClasses}>
                  {found.map((entry) => (
                    <Item key={entry.id} entry={entry} onSelect={select} onShowActions={showActions} />
                  ))}
                </Command.Group>
              ))}
              {search ? (
                <Command.Group heading="All requests" className={groupClasses}>
                  <Item entry={search} onSelect={select} onShowActions={showActions} />
                </Command.Group>
              ) : null}
            </Command.List>
            <Footer selected={selected} parent={parent} onShowActions={showActions} />
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface ItemProps {
  entry: Entry
  onSelect: (entry: Entry) => void
  onShowActions: (entry: Entry) => void
}

function Item({ entry, onSelect, onShowActions }: ItemProps) {
  const { id, label, hint, icon: Icon, actions } = entry
  return (
    <Command.Item
      value={id}
      onSelect={() => onSelect(entry)}
      onContextMenu={(event) => {
        event.preventDefault()
        if (actions) onShowActions(entry)
      }}
      className="flex h-9 items-center gap-2.5 rounded-md px-2.5 data-[selected=true]:bg-highlight"
    >
      <Icon size={15} aria-hidden className="shrink-0 text-ink-3" />
      <span className="min-w-24 flex-1 truncate">{label}</span>
      {hint ? <span className="max-w-[50%] shrink-0 truncate text-ink-3 text-sm">{hint}</span> : null}
    </Command.Item>
  )
}

interface FooterProps {
  selected: Entry | undefined
  parent: Entry | null
  onShowActions: (entry: Entry | null) => void
}

/** The keys that work, and the same for the mouse. */
function Footer({ selected, parent, onShowActions }: FooterProps) {
  const next = parent ? null : selected?.actions ? selected : undefined
  return (
    <div className="flex h-9 items-center justify-end gap-4 border-line border-t px-3 text-ink-3 text-sm">
      {next === undefined ? null : (
        <button type="button" className="rounded-sm hover:text-ink" onClick={() => onShowActions(next)}>
          {parent ? 'Back' : 'Actions'} <kbd className="font-sans text-xs">{parent ? 'Esc' : 'Tab'}</kbd>
        </button>
      )}
      <span aria-hidden>
        Open <kbd className="font-sans text-xs">↵</kbd>
      </span>
    </div>
  )
}

/** An entry's own command first, and then its actions. */
function createActionIndex(entry: Entry): SearchIndex<Entry> {
  const { id, group, label, icon, run, actions = [] } = entry
  const own = { label: `Open ${label}`, icon, run }
  return createSearchIndex(
    [own, ...actions].map((action) => ({
      ...action,
      group,
      id: `${id} ${action.label}`,
      isShownFirst: true,
    })),
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
