// The first script: it chooses how numbers and dates are written before the modules with texts load.
import './fonts.css'
import './theme.css'
import { followLocale } from '../shared/values/locale.ts'

// The main process sends addresses as soon as the page has loaded, perhaps before the app has.
window.desktop?.onNavigate((href) => history.pushState(null, '', href))
followLocale(window.desktop?.locale ?? navigator.language)
void import('./app/start.tsx')
