import { create } from 'zustand'

export const usePalette = create<{ open: boolean }>()(() => ({ open: false }))

export function openPalette(): void {
  usePalette.setState({ open: true })
}

export function closePalette(): void {
  usePalette.setState({ open: false })
}

const RECENT_SLOT = 'tollgate.palette-recent'
const MAX_RECENT = 4

/** The ids of the entries that were used last, the newest first. Kept for the next start. */
export function listRecent(): readonly string[] {
  return (localStorage.getItem(RECENT_SLOT) ?? '').split('\n').filter(Boolean)
}

export function rememberRecent(id: string): void {
  const ids = [id, ...listRecent().filter((other) => other !== id)]
  localStorage.setItem(RECENT_SLOT, ids.slice(0, MAX_RECENT).join('\n'))
}

export const isMac = /mac/i.test(navigator.platform)
export const paletteShortcut = isMac ? '⌘K' : 'Ctrl K'

/**
 * Opens and closes the command palette, until the returned function is called. What is pressed before the app is loaded opens it
 * as soon as it is.
 */
export function startPaletteShortcut(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'k' || event.shiftKey || event.altKey) return
    if (isMac ? !event.metaKey : !event.ctrlKey) return
    event.preventDefault()
    usePalette.setState(({ open: was }) => ({ open: !was }))
  }
  window.addEventListener('keydown', onKey)
  return () => window.removeEventListener('keydown', onKey)
}
