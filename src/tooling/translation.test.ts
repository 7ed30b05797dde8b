import { expect, test } from 'vitest'
import { findUnmarked, listPlaceholders, readCatalog, readTexts, toKey } from './translation.ts'

const texts = Map.groupBy(readTexts(), ({ folder }) => folder)

test('every text of the window is marked for translation', () => {
  expect(findUnmarked().filter((text) => !NOT_TRANSLATED.test(text))).toEqual([])
})

/** The names of keys, variables, programs and formats, an address, and a command. */
const NOT_TRANSLATED =
  / (Tab|Tollgate|Terminal|Claude Code|Codex|Protobuf|docker run|<NAME>_API_KEY|http:\/\/localhost:4318|unknown)$/

test.each([...texts])('%s has every text in German, and no other', (folder, marked) => {
  const catalog = readCatalog(folder)
  const keys = new Set(Object.keys(catalog).map(toKey))
  expect(
    marked.filter(({ text }) => !keys.has(toKey(text))).map(({ text, place }) => `${place} ${text}`),
  ).toEqual([])
  const known = new Set(marked.map(({ text }) => toKey(text)))
  expect(Object.keys(catalog).filter((text) => !known.has(toKey(text)))).toEqual([])
})

test.each([...texts.keys()])('%s fills in only what its texts have', (folder) => {
  const wrong = Object.entries(readCatalog(folder)).filter(([text, german]) => {
    const known = listPlaceholders(text)
    return (
      german.trim() === '' || listPlaceholders(german).some((placeholder) => !known.includes(placeholder))
    )
  })
  expect(wrong).toEqual([])
})
