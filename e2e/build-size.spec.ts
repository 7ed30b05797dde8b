// The window starts as fast as its first script is small, and the package contains all of its files.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from '@playwright/test'

const built = resolve(import.meta.dirname, '../out/renderer')
const MOST_AT_START = 400_000
const MOST_IN_ALL = 4_000_000

test('the first script and what it imports have at most 400 kB', () => {
  const page = readFileSync(join(built, 'index.html'), 'utf8')
  const scripts = new Set(
    [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, path = '']) => path),
  )
  expect(scripts.size).toBeGreaterThan(0)
  for (const path of scripts) for (const imported of listImports(path)) scripts.add(imported)
  const bytes = [...scripts].reduce((sum, path) => sum + statSync(join(built, path)).size, 0)
  expect(bytes).toBeLessThanOrEqual(MOST_AT_START)
})

test('the files of the window have at most 4 MB', () => {
  const files = readdirSync(built, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  expect(bytes).toBeLessThanOrEqual(MOST_IN_ALL)
})

/** The chunks that a chunk imports before it runs: `import{a as b}from"./chunk.js"`, but not `import("./chunk.js")`. */
function listImports(path: string): string[] {
  const code = readFileSync(join(built, path), 'utf8')
  return [...code.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([^"]+\.js)"/g)].map(([, name]) => `assets/${name}`)
}
