import { z } from 'zod'
import { create } from 'zustand'

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
export const useSavedViews = create<SavedViewStore>()((set, get) => {
  const change = (views: readonly SavedView[]) => {
    localStorage.setItem(SLOT, JSON.stringify(views))
    set({ views })
  }
  const without = (name: string) => get().views.filter((view) => view.name !== name)
  return {
    views: readViews(),
    save: (view) => change([...without(view.name), view].toSorted((a, b) => a.name.localeCompare(b.name))),
    remove: (name) => change(without(name)),
  }
})

function readViews(): readonly SavedView[] {
  try {
    return z
      .array(SavedView)
      .catch([])
      .parse(JSON.parse(localStorage.getItem(SLOT) ?? '[]'))
  } catch {
    return []
  }
}
