import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { expect, test } from 'vitest'
import { allowedLines, discouragedPhrases } from './prose.ts'

const root = resolve(import.meta.dirname, '../..')
const roots = ['src', 'docs', 'e2e', 'README.md', 'CHANGELOG.md']
/** Lists the phrases themselves, or is generated from test names. */
const skipped = new Set(['src/tooling/prose.ts', 'src/tooling/window-prose.ts', 'docs/conformance.md'])

function listFiles(path: string): string[] {
  if (/\.(ts|tsx|md|css)$/.test(path)) return [path]
  if (/\.\w+$/.test(path)) return []
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() || entry.isFile() ? listFiles(`${path}/${entry.name}`) : [],
  )
}

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

const files = roots
  .flatMap(listFiles)
  .map((file) => relative(root, join(root, file)).split(sep).join('/'))
  .filter((file) => !skipped.has(file))

test('comments, names and texts avoid discouraged phrases', () => {
  expect(files.length).toBeGreaterThan(500)
  expect(files.flatMap(findPhrases)).toEqual([])
})
