import { addLocale, useLocale as selectLocale } from 'ttag'

/** German texts by the English ones, with `${ name }` for what is filled in; after a context and `|` where it has one. */
type Catalog = Readonly<Record<string, string>>

/** Shows texts in German from now on, except those that were read before. */
export function speakGerman(catalogs: readonly Catalog[]): void {
  const contexts: Record<string, Record<string, string[]>> = {}
  for (const [text, translation] of catalogs.flatMap(Object.entries<string>)) {
    const [, context = '', id = text] = /^(?:([a-z]+)\|)?(.*)$/s.exec(text) ?? []
    contexts[context] ??= {}
    contexts[context][id] = [translation]
  }
  addLocale('de', { charset: 'utf-8', headers: { 'plural-forms': 'nplurals=2; plural=(n != 1);' }, contexts })
  selectLocale('de')
}

export function speakEnglish(): void {
  selectLocale('en')
}
