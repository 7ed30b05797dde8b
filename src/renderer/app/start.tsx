// The window's frame. The app, its data and the view of the address are loaded in parallel.
import { createRoot } from 'react-dom/client'
import { lazyView } from '../kit/lazy-view.tsx'
import { startSecondCurrency } from '../kit/money.tsx'
import { startTheme } from '../kit/theme.ts'
import { FailureBoundary } from './failure-boundary.tsx'
import { preloadView } from './lazy-views.ts'
import { startPaletteShortcut } from './palette/palette-state.ts'
import { StartingWindow } from './view-placeholder.tsx'

const app = lazyView(async () => (await import('./app.tsx')).App, StartingWindow)
void app.preload()
void preloadView(location.pathname)

startTheme()
startSecondCurrency()
startPaletteShortcut()

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <FailureBoundary>
      <app.View />
    </FailureBoundary>,
  )
}
