import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useDeferredValue, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { wholeLog } from '../../data/request-listing.ts'
import { requestLog } from '../../data/request-log.ts'
import { NothingFound } from '../../kit/nothing-found.tsx'
import { useReturnFocus } from '../../kit/return-focus.ts'
import type { Entry } from './entry.ts'
import { findEntries } from './find-entries.ts'
import { closePalette, usePalette } from './palette-state.ts'
import { createSearchIndex } from './rank.ts'
import { createRequestEntries, createRequestSearch } from './request-entries.ts'
import { useEntries } from './use-entries.ts'

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
