import { findLanguage, LANGUAGES, type Language } from '../../shared/values/locale.ts'

const STORAGE_KEY = 'tollgate.language'

/** The language of the texts, or `system` for that of the operating system if there are texts in it. */
export type LanguageChoice = 'system' | Language

export function readLanguageChoice(): LanguageChoice {
  const stored = localStorage.getItem(STORAGE_KEY)
  return stored !== null && stored in LANGUAGES ? (stored as Language) : 'system'
}

export function getSystemLocale(): string {
  return window.desktop?.locale ?? navigator.language
}

export function readLanguage(): Language {
  const choice = readLanguageChoice()
  return choice === 'system' ? findLanguage(getSystemLocale()) : choice
}

/** Stores the choice and loads the page again: texts are read as the modules load. */
export function chooseLanguage(choice: LanguageChoice): void {
  localStorage.setItem(STORAGE_KEY, choice)
  location.reload()
}
