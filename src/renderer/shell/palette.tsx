import { lazyView } from '../components/lazy-view.tsx'
import { usePalette } from './palette-state.ts'
import { usePaletteShortcut } from './use-palette-shortcut.ts'

export const palettePanel = lazyView(
  async () => (await import('./palette-panel.tsx')).PalettePanel,
  () => null,
)

export function Palette() {
  const open = usePalette((store) => store.open)
  usePaletteShortcut()
  return open ? <palettePanel.View /> : null
}
