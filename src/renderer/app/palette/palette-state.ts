import { create } from 'zustand'

export const usePalette = create<{ open: boolean }>()(() => ({ open: false }))

export function openPalette(): void {
  usePalette.setState({ open: true })
}

export function closePalette(): void {
  usePalette.setState({ open: false })
}

export const isMac = /mac/i.test(navigator.platform)
export const paletteShortcut = isMac ? '⌘K' : 'Ctrl K'
