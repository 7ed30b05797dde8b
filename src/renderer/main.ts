// The first script: it chooses the language before the modules with texts load.
import './fonts.css'
import './theme.css'
import { speakGerman } from '../shared/values/german.ts'
import { followLocale, type Language } from '../shared/values/locale.ts'
import { getSystemLocale, readLanguage } from './kit/language.ts'

// The main process sends addresses as soon as the page has loaded, perhaps before the app has.
window.desktop?.onNavigate((href) => history.pushState(null, '', href))
void start(readLanguage())

async function start(language: Language): Promise<void> {
  followLocale(getSystemLocale(), language)
  document.documentElement.lang = language
  if (language === 'de') speakGerman((await import('./app/german.ts')).default)
  await import('./app/start.tsx')
}
