import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './commands.ts'
import { readDiagram } from './imports.ts'

test('no arrows of the diagram in docs/architecture.md lead back to their folder', () => {
  const rows = readDiagram(readFileSync(join(root, 'docs/architecture.md'), 'utf8'))
  expect(rows.size).toBeGreaterThan(20)
  for (const [name, { whole }] of rows) expect(whole, name).not.toContain(name)
})

test('no two files of a folder have names that differ by one letter', () => {
  const byFolder = Map.groupBy(listSources(), dirname)
  const pairs = [...byFolder].flatMap(([folder, files]) => {
    const stems = [...new Set(files.map((file) => basename(file).replace(/\..*/, '')))].sort()
    return stems.flatMap((one, at) =>
      stems
        .slice(at + 1)
        .flatMap((other) => (differByOneLetter(one, other) ? [`${folder}: ${one}, ${other}`] : [])),
    )
  })
  expect(pairs).toEqual([])
})

function listSources(): string[] {
  return ['src', 'e2e'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map(({ parentPath, name }) => join(parentPath, name)),
  )
}

function differByOneLetter(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at++
  return short.slice(short.length === long.length ? at + 1 : at) === long.slice(at + 1)
}
