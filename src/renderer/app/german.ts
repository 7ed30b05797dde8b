// The German texts of the window, in a file that loads only where they are shown.
import { addLocale, useLocale as selectLocale } from 'ttag'

const catalogs = import.meta.glob<Record<string, string>>(['../**/de.json', '../../shared/de.json'], {
  eager: true,
  import: 'default',
})

/** Shows texts in German from now on. Call it before the modules with texts load. */
export function speakGerman(): void {
  const contexts: Record<string, Record<string, string[]>> = { '': {} }
  for (const catalog of Object.values(catalogs)) {
    for (const [text, translation] of Object.entries(catalog)) {
      const [, context = '', id = text] = /^(?:([a-z]+)\|)?(.*)$/s.exec(text) ?? []
      contexts[context] = { ...contexts[context], [id]: [translation] }
    }
  }
  addLocale('de', { charset: 'utf-8', headers: { 'plural-forms': 'nplurals=2; plural=(n != 1);' }, contexts })
  selectLocale('de')
}
