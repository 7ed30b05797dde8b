import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { root } from '../commands.ts'
import { THREADS } from '../threads.ts'
import { listCommandFiles } from './command-files.ts'

const THREAD_FILES = Object.keys(THREADS).map((name) => `${name}.js`)

function writeBuild(files: Record<string, string>): string {
  const dir = tempDirForTest()
  for (const [name, code] of Object.entries(files)) writeFileSync(join(dir, name), code)
  return dir
}

const threads = Object.fromEntries(THREAD_FILES.map((name) => [name, '']))

test('every thread and what it loads belong to the command, and other files do not', () => {
  const dir = writeBuild({
    ...threads,
    'cli.js': 'require("./start.js")',
    'start.js': 'new URL("./token-worker.js", location)',
    'token-worker.js': 'require("./tokens.js")',
    'tokens.js': '',
    'index.js': 'require("electron")',
  })
  expect(listCommandFiles(dir)).toEqual(['tokens.js', 'cli.js', 'start.js', ...THREAD_FILES].sort())
})

test('a build in which a thread is missing is refused', () => {
  const { 'token-worker.js': _, ...others } = threads
  const dir = writeBuild({ ...others, 'cli.js': '' })
  expect(() => listCommandFiles(dir)).toThrow('token-worker.js')
})

test('every file that the sources start a thread from is built as one', () => {
  const sources = globSync('src/{features,gateway,host}/**/*.ts', { cwd: root }).filter(
    (path) => !path.endsWith('.test.ts'),
  )
  const started = sources.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/'\.\/([\w-]+\.js)'/g)].map(([, name]) => name),
  )
  expect(started.sort()).toEqual(THREAD_FILES.toSorted())
})
