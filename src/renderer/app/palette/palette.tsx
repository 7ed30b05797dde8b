import { lazyView } from '../../kit/lazy-view.tsx'
import { usePalette } from './palette-state.ts'

export const palettePanel = lazyView(async () => (await import('./palette-panel.tsx')).PalettePanel)

export function Palette() {
  const open = usePalette((store) => store.open)
  return open ? <palettePanel.View /> : null
}
