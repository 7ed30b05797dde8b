import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** A row may name single files of another: `shared/desktop-calls.ts`. */
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
