// The first script: it chooses the language before the modules with texts load.
import './fonts.css'
import './theme.css'
import { followLocale, type Language } from '../shared/values/locale.ts'
import { getSystemLocale, readLanguage } from './kit/language.ts'

// The main process sends addresses as soon as the page has loaded, perhaps before the app has.
window.desktop?.onNavigate((href) => history.pushState(null, '', href))
void start(readLanguage())

/** A function, because the German texts import from the file that this one is built into: they would wait for its top level to end. */
async function start(language: Language): Promise<void> {
  followLocale(getSystemLocale(), language)
  document.documentElement.lang = language
  if (language === 'de') (await import('./app/german.ts')).speakGerman()
  await import('./app/start.tsx')
}
