// Limits on what is loaded, which costs time and memory: for the gateway at its start, and again for each of its threads.
// The package contains all of it. first-scripts.spec.ts limits the first scripts of the window.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from '@playwright/test'

const built = resolve(import.meta.dirname, '../out/renderer')
const main = resolve(import.meta.dirname, '../out/main')
const MOST_IN_ALL = 4_000_000

test('the files of the window have at most 4 MB', () => {
  const files = readdirSync(built, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  expect(bytes).toBeLessThanOrEqual(MOST_IN_ALL)
})

/** Code that loads later, for a part that is not used yet, is not counted. */
const LOADED: Readonly<Record<string, { from: readonly string[]; most: number }>> = {
  'the gateway at its start': { from: ['cli.js', 'program.js', 'serve.js', 'gateway.js'], most: 2_300_000 },
  'the thread of the store': { from: ['store-worker.js'], most: 210_000 },
}

for (const [name, { from, most }] of Object.entries(LOADED)) {
  test(`${name} loads at most ${most / 1000} kB`, () => {
    const files = new Set(from)
    for (const file of files) for (const required of listRequires(file)) files.add(required)
    const bytes = [...files].reduce((sum, file) => sum + statSync(join(main, file)).size, 0)
    expect(bytes).toBeLessThanOrEqual(most)
  })
}

/** The chunks that a chunk requires before it runs: `require("./chunk.js")`, but not in a promise's callback. */
function listRequires(file: string): string[] {
  const code = readFileSync(join(main, file), 'utf8')
  return [...code.matchAll(/(?<=^|[=,;])require\("\.\/([^"]+\.js)"\)/g)].map(([, name = '']) => name)
}
