import { globSync, readFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { expect, test } from 'vitest'
import { allowedLines, BRITISH, discouragedPhrases } from './prose.ts'

const root = resolve(import.meta.dirname, '../..')
const sources = ['{src,docs,e2e,.github}/**/*.{ts,tsx,md,css,yml}', '*.md']
/** Lists the phrases themselves, or is generated from test names. */
const skipped = new Set(['src/tooling/prose.ts', 'src/tooling/window-prose.ts', 'docs/conformance.md'])

/** `file:line phrase → replacement: text` for each line with a discouraged phrase. */
function findPhrases(file: string): string[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  return lines.flatMap((line, index) => {
    if (allowedLines.some(({ text }) => line.includes(text))) return []
    return discouragedPhrases
      .filter(({ pattern }) => pattern.test(line))
      .map(({ pattern, instead }) => `${file}:${index + 1} ${pattern.source} → ${instead}: ${line.trim()}`)
  })
}

const files = globSync(sources, { cwd: root, exclude: ['**/node_modules/**', 'docs/site/pages/**'] })
  .map((file) => file.split(sep).join('/'))
  .filter((file) => !skipped.has(file))

test('comments, names and texts avoid discouraged phrases', () => {
  expect(files.length).toBeGreaterThan(500)
  expect(files.flatMap(findPhrases)).toEqual([])
})

test('documents are in American English', () => {
  const british = files
    .filter((file) => file.endsWith('.md') && file !== 'docs/performance.md')
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (BRITISH.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
    )
  expect(british).toEqual([])
})
