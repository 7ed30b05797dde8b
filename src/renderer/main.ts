// The first script: the window's frame. The app, its data and the view of the address are loaded in parallel.
import './fonts.css'
import './theme.css'
import { createRoot } from 'react-dom/client'
import { navigate } from 'wouter/use-browser-location'
import { followLocale } from '../shared/values/locale.ts'
import { FailureBoundary } from './app/failure-boundary.tsx'
import { preloadView } from './app/lazy-views.ts'
import { startPaletteShortcut } from './app/palette/palette-state.ts'
import { StartingWindow } from './app/view-placeholder.tsx'
import { lazyView } from './kit/lazy-view.tsx'
import { startSecondCurrency } from './kit/second-currency.tsx'
import { startTheme } from './kit/theme.ts'

const app = lazyView(async () => (await import('./app/app.tsx')).App, StartingWindow)
void app.preload()
void preloadView(location.pathname)

followLocale(window.desktop?.locale ?? navigator.language)
startTheme()
startSecondCurrency()
startPaletteShortcut()
// The main process sends addresses as soon as the page has loaded, perhaps before the app has.
window.desktop?.onNavigate((href) => navigate(href))

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <FailureBoundary>
      <app.View />
    </FailureBoundary>,
  )
}
