// Holds the sources against the table of rooms, and shows with deliberate breaks that the table has teeth.
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importsOf, violations } from './tooling/layers.ts'

function sources(): Record<string, string> {
  const names = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  const code = names.map((name) => name.replaceAll(sep, '/')).filter((name) => /\.tsx?$/.test(name))
  return Object.fromEntries(code.map((name) => [name, readFileSync(join(import.meta.dirname, name), 'utf8')]))
}

test('every import under src stays within its room’s walls', () => {
  expect(violations(sources())).toEqual([])
})

describe('a break is found', () => {
  test.each([
    ['gateway/api/server.ts', `import { app } from 'electron'`],
    ['gateway/api/server.ts', `import type { BrowserWindow } from 'electron'`],
    ['gateway/api/server.test.ts', `import { app } from 'electron'`],
    ['gateway/providers.ts', `const keytar = await import('@github/keytar')`],
    ['gateway/providers.ts', `const keytar = require('@github/keytar')`],
    ['gateway/keys.ts', `import Database from 'better-sqlite3'`],
    ['gateway/keys.ts', `import { startHost } from '../host/start.ts'`],
    ['gateway/formats/openai.ts', `import { request } from 'undici'`],
    ['gateway/formats/openai.ts', `import { connect } from 'node:net'`],
    ['gateway/formats/openai.ts', `import { openStore } from '../store/store.ts'`],
    ['gateway/store/keys.ts', `import { Agent } from 'undici'`],
    ['renderer/app.tsx', `import { readFile } from 'node:fs/promises'`],
    ['renderer/app.test.tsx', `import { readFile } from 'node:fs/promises'`],
    ['renderer/app.tsx', `import { ipcRenderer } from 'electron'`],
    ['renderer/app.tsx', `export { createGateway } from '../gateway/gateway.ts'`],
    ['main/index.ts', `import {\n  type Gateway,\n} from '../gateway/gateway.ts'`],
    ['preload/index.ts', `import { KeyList } from '../shared/keys.ts'`],
    ['shared/money.ts', `import '../gateway/platform/clock.ts'`],
    ['gateway/keys.ts', `import { sampleKey } from './store/testing/samples.ts'`],
  ])('in %s: %s', (path, source) => {
    expect(violations({ [path]: source })).toHaveLength(1)
  })

  test('in a folder that no room holds', () => {
    expect(violations({ 'utils/index.ts': '' })).toEqual(['utils/index.ts is in no room of the table'])
  })
})

describe('what is right is left alone', () => {
  test.each([
    ['gateway/store/keys.ts', `import Database from 'better-sqlite3'`],
    ['gateway/keys.ts', `import { openStore } from './store/store.ts'`],
    ['gateway/formats/openai.ts', `import type { ChatEvent } from './events.ts'`],
    ['host/keychain.ts', `createRequire(import.meta.url)('@github/keytar')`],
    ['main/index.ts', `import { startHost } from '../host/start.ts'`],
    ['renderer/app.tsx', `import { createRoot } from 'react-dom/client'`],
    ['gateway/keys.test.ts', `import { expect } from 'vitest'`],
    ['gateway/formats/openai.test.ts', `import { serve } from '../upstream/testing/server.ts'`],
    ['gateway/keys.ts', `// import { app } from 'electron'\n/* import 'electron' */`],
  ])('in %s: %s', (path, source) => {
    expect(violations({ [path]: source })).toEqual([])
  })
})

test('imports are read in all their forms', () => {
  const source = `import a from 'a'
import 'b'
import {
  c,
} from 'c'
export * from 'd'
export type { E } from 'e'
const f = await import('f')
const style = await import('./g.css?inline')
`
  expect(importsOf(source)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', './g.css'])
})
