import { useEffect } from 'react'
import { lazyView } from '../components/lazy-view.tsx'
import { isMac, usePalette } from './palette-state.ts'

export const palettePanel = lazyView(
  async () => (await import('./palette-panel.tsx')).PalettePanel,
  () => null,
)

export function Palette() {
  const open = usePalette((store) => store.open)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.shiftKey || event.altKey) return
      if (isMac ? !event.metaKey : !event.ctrlKey) return
      event.preventDefault()
      usePalette.setState(({ open: was }) => ({ open: !was }))
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return open ? <palettePanel.View /> : null
}
