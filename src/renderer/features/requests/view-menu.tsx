import { Bookmark, Check, X } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type FormEvent, useState } from 'react'
import { z } from 'zod'
import { create } from 'zustand'
import { listingFromSearch, listingToSearch, type RequestListing } from '../../data/request-filter.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { PopoverPanel } from '../../kit/popover-panel.tsx'
import { readStored } from '../../kit/stored.ts'

interface ViewMenuProps {
  listing: RequestListing
  onList: (listing: RequestListing) => void
}

/** Saves the filter and the order of the log under a name, and brings them back. */
export function ViewMenu({ listing, onList }: ViewMenuProps) {
  const [open, setOpen] = useState(false)
  const { views, save, remove } = useSavedViews()
  const search = listingToSearch(listing)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button small variant="quiet" icon={Bookmark}>
          <span className="@max-[30rem]:sr-only">Views</span>
        </Button>
      </Popover.Trigger>
      <PopoverPanel align="end" aria-label="Saved views" className="w-64 p-1">
        {views.length === 0 ? null : (
          <ul className="max-h-60 overflow-y-auto">
            {views.map((view) => (
              <li key={view.name} className="flex items-center gap-1">
                <button
                  type="button"
                  aria-current={view.search === search || undefined}
                  onClick={() => {
                    onList(listingFromSearch(view.search))
                    setOpen(false)
                  }}
                  className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md px-2 text-left -outline-offset-2 hover:bg-sunken focus-visible:bg-sunken"
                >
                  <Check
                    size={13}
                    aria-hidden
                    className={view.search === search ? 'shrink-0' : 'invisible shrink-0'}
                  />
                  <span className="truncate">{view.name}</span>
                </button>
                <IconButton
                  small
                  label={`Delete the view ${view.name}`}
                  icon={X}
                  onClick={() => remove(view.name)}
                />
              </li>
            ))}
          </ul>
        )}
        <SaveForm key={search} disabled={search === ''} onSave={(name) => save({ name, search })} />
      </PopoverPanel>
    </Popover.Root>
  )
}

function SaveForm({ disabled, onSave }: { disabled: boolean; onSave: (name: string) => void }) {
  const [name, setName] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSave(name.trim())
    setName('')
  }
  if (disabled) {
    return (
      <p className="p-2 text-ink-2 text-sm">Set a filter or sort the list, then save it here under a name.</p>
    )
  }
  return (
    <form onSubmit={submit} className="flex items-end gap-2 p-2">
      <TextField label="Save this view as" value={name} onChange={setName} className="min-w-0 flex-1" />
      <Button type="submit" disabled={name.trim() === ''}>
        Save
      </Button>
    </form>
  )
}

const SLOT = 'tollgate.request-views'
const SavedView = z.object({ name: z.string(), search: z.string() })
type SavedView = z.infer<typeof SavedView>

interface SavedViewStore {
  /** The views by name. */
  views: readonly SavedView[]
  /** Replaces a view of the same name. */
  save(view: SavedView): void
  remove(name: string): void
}

/** Filters and orders of the log that the user named. Kept in this window's storage only. */
const useSavedViews = create<SavedViewStore>()((set, get) => {
  const change = (views: readonly SavedView[]) => {
    localStorage.setItem(SLOT, JSON.stringify(views))
    set({ views })
  }
  const without = (name: string) => get().views.filter((view) => view.name !== name)
  return {
    views: readStored(SLOT, z.array(SavedView)) ?? [],
    save: (view) => change([...without(view.name), view].toSorted((a, b) => a.name.localeCompare(b.name))),
    remove: (name) => change(without(name)),
  }
})
