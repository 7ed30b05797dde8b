// The language of the menus, the tray, the notifications and the dialogs.
import { app } from 'electron'
import { readPreferences, writePreferences } from '../host/preferences.ts'
import { speakEnglish, speakGerman } from '../shared/values/german.ts'
import { findLanguage, followLocale, type LanguageChoice } from '../shared/values/locale.ts'

/** Speaks the stored language, or that of the system. Call it once the app is ready. */
export async function followLanguage(dataDir: string): Promise<void> {
  const locale = app.getSystemLocale()
  const { language: choice = 'system' } = readPreferences(dataDir)
  const language = choice === 'system' ? findLanguage(locale) : choice
  followLocale(locale, language)
  if (language === 'de') speakGerman((await import('./german.ts')).default)
  else speakEnglish()
}

export async function setLanguage(dataDir: string, choice: LanguageChoice): Promise<void> {
  writePreferences(dataDir, { language: choice })
  await followLanguage(dataDir)
}
