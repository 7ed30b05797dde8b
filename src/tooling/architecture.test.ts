import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './commands.ts'
import { type ImportRow, importTable } from './import-table.ts'

const rows: readonly [name: string, row: ImportRow][] = Object.entries(importTable)
const names = rows.map(([name]) => name)

const foldersOf = new Map(rows.map(([name, { folders }]) => [name, [...new Set(folders.map(rowOfTarget))]]))

test.each(rows)('%s imports only rows above it', (name) => {
  const above = names.slice(0, names.indexOf(name))
  expect(foldersOf.get(name)?.filter((folder) => !above.includes(folder))).toEqual([])
})

test('the diagram in docs/architecture.md shows the rows, and the arrows that no longer path implies', () => {
  const arrows = names
    .filter((name) => name !== 'gateway/testing')
    .flatMap((name) => listShortArrows(name).map((folder) => `${getNode(name)} --> ${getNode(folder)}`))
  expect(readDiagramArrows().sort()).toEqual(arrows.sort())
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

/** A row may name single files of another: `shared/desktop/desktop-calls.ts`. */
function rowOfTarget(target: string): string {
  return names.findLast((name) => target === name || target.startsWith(`${name}/`)) ?? target
}

function listShortArrows(name: string): string[] {
  const folders = foldersOf.get(name) ?? []
  return folders.filter((folder) => !folders.some((other) => findReachable(other).has(folder)))
}

function findReachable(name: string): Set<string> {
  const folders = foldersOf.get(name) ?? []
  return new Set(folders.flatMap((folder) => [folder, ...findReachable(folder)]))
}

function getNode(name: string): string {
  return name.replace('gateway/', '')
}

function readDiagramArrows(): string[] {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const diagram = /```mermaid\n(.*?)```/s.exec(text)?.[1] ?? ''
  return [...diagram.matchAll(/^\s*(\S+ --> \S+)$/gm)].map(([, arrow = '']) => arrow)
}
