// The first script: it chooses the language before the modules with texts load.
import './fonts.css'
import './theme.css'
import { followLocale } from '../shared/values/locale.ts'
import { getSystemLocale, readLanguage } from './kit/language.ts'

// The main process sends addresses as soon as the page has loaded, perhaps before the app has.
window.desktop?.onNavigate((href) => history.pushState(null, '', href))

const language = readLanguage()
followLocale(getSystemLocale(), language)
document.documentElement.lang = language
if (language === 'de') (await import('./app/german.ts')).speakGerman()
void import('./app/start.tsx')
