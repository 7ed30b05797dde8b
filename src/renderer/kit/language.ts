import {
  findLanguage,
  LANGUAGE_CHOICES,
  type Language,
  type LanguageChoice,
} from '../../shared/values/locale.ts'

const STORAGE_KEY = 'tollgate.language'

export function readLanguageChoice(): LanguageChoice {
  const stored = localStorage.getItem(STORAGE_KEY)
  return LANGUAGE_CHOICES.find((choice) => choice === stored) ?? 'system'
}

export function getSystemLocale(): string {
  return window.desktop?.locale ?? navigator.language
}

export function readLanguage(): Language {
  const choice = readLanguageChoice()
  return choice === 'system' ? findLanguage(getSystemLocale()) : choice
}

/**
 * Stores the choice and loads the page again: texts are read as the modules load. The menus of the app follow; if they cannot,
 * nothing is changed.
 */
export async function chooseLanguage(choice: LanguageChoice): Promise<void> {
  await window.desktop?.setLanguage(choice)
  localStorage.setItem(STORAGE_KEY, choice)
  location.reload()
}
