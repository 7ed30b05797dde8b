import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { create } from 'zustand'
import { VIEWS, type ViewHref } from '../../shared/desktop/views.ts'
import { isDesktop } from '../kit/is-desktop.ts'
import { carryRange } from './navigation.ts'
import { isMac } from './palette/palette-state.ts'

const STORAGE_KEY = 'tollgate.singleKeys'

interface ShortcutStore {
  /** Whether the list of shortcuts is shown. */
  listed: boolean
  /** Whether single keys do something. Users of speech input must be able to turn them off (WCAG 2.1.4). */
  singleKeys: boolean
}

export const useShortcutStore = create<ShortcutStore>()(() => ({
  listed: false,
  singleKeys: localStorage.getItem(STORAGE_KEY) !== 'off',
}))

export function setSingleKeys(on: boolean): void {
  localStorage.setItem(STORAGE_KEY, on ? 'on' : 'off')
  useShortcutStore.setState({ singleKeys: on })
}

/** Where keys are typed, or choose an option by its first letter. */
const TAKES_KEYS =
  'input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=combobox], [role=dialog], [role=alertdialog]'
/** Pressed within this time after G, a number opens a view. */
const SEQUENCE_MS = 1500

/** Listens for the keys of the whole window, until the component is gone. Those with Ctrl or Cmd are the menu's. */
export function useShortcuts(): void {
  const [path, navigate] = useLocation()
  const latest = useRef({ path, navigate })
  latest.current = { path, navigate }
  useEffect(() => {
    let goUntil = 0
    const handle = (key: string): boolean => {
      const view = Date.now() < goUntil && /^[1-9]$/.test(key) ? VIEWS[Number(key) - 1] : undefined
      goUntil = key === 'g' ? Date.now() + SEQUENCE_MS : 0
      if (view) latest.current.navigate(carryRange(view.href))
      else if (key === '?') useShortcutStore.setState({ listed: true })
      else if (key === '/') return focusViewSearch()
      else if (key === 'n') return createInView(latest.current.path, latest.current.navigate)
      else return false
      return true
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
        return
      if (!useShortcutStore.getState().singleKeys) return
      if (event.target instanceof Element && event.target.closest(TAKES_KEYS)) return
      // A dialog need not have the focus, such as while it closes.
      if (document.querySelector('[role=dialog][data-state=open], [role=alertdialog][data-state=open]'))
        return
      if (handle(event.key.toLowerCase())) event.preventDefault()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}

type Navigate = (href: string) => void

/** The item that N creates in a view. */
const creations: Partial<Record<ViewHref, (navigate: Navigate) => void>> = {
  '/keys': (navigate) => navigate('/keys?new=1'),
  '/providers': (navigate) => navigate('/providers?add=1'),
  '/models': (navigate) => navigate('/models?new=1'),
  '/playground': () =>
    void import('../parts/chats/playground-store.ts').then((store) =>
      store.usePlayground.getState().startChat(),
    ),
}

/** Creates what the view of a path lists. Returns false if it lists nothing that a user creates. */
function createInView(path: string, navigate: Navigate): boolean {
  const create = Object.entries(creations).find(([href]) => href === path)?.[1]
  create?.(navigate)
  return create !== undefined
}

/** Focuses the search field of the view. Returns false if it has none. */
function focusViewSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]')
  field?.focus()
  field?.select()
  return field !== null
}

/** Views beyond the ninth have no number. */
export const NUMBERED = VIEWS.slice(0, 9)
export const modifier = isMac ? '⌘' : 'Ctrl '

/** The keys that open a view; null if it has no number. Browsers use Ctrl and a number for their tabs. */
export function getViewShortcut(href: string): string | null {
  const at = NUMBERED.findIndex((view) => view.href === href)
  if (at < 0) return null
  return isDesktop ? `${modifier}${at + 1}` : `G ${at + 1}`
}
