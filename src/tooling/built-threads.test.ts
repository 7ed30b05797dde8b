// V8 can crash the process when several threads run WebAssembly. The built threads of the gateway run none.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { SOURCE_FLAGS } from '../gateway/testing/source-flags.ts'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'
import { PROGRAM_DIR } from './program-for-tests.ts'

/** Uses every thread of the gateway: writer, reader, a one-off reader, backup, token counter. */
const PROGRAM = `
  import { writeFileSync } from 'node:fs'
  const [dataDir, storeModule, counterModule] = process.argv.slice(2)
  const { openStore } = await import(storeModule)
  const { TokenCounter } = await import(counterModule)
  const store = await openStore({ dataDir })
  await store.write('sweepIdempotency', 0)
  const faults = await store.read('checkTotals')
  await store.backups.create()
  const { backups } = await store.backups.list()
  await store.close()
  const counter = new TokenCounter()
  const tokens = await counter.count('internationalization '.repeat(100))
  await counter.close()
  writeFileSync(dataDir + '/result.json', JSON.stringify({ faults, backups: backups.length, counted: tokens > 0 }))
`

/** Runs a program, and returns V8's trace of the WebAssembly that it compiled in any thread. */
async function trace(program: string, ...args: readonly string[]): Promise<string> {
  const flags = [...SOURCE_FLAGS, '--trace-wasm-compilation-times']
  // V8 writes its trace to the standard output; the program writes nothing there.
  // Types that were stripped in an earlier run would come from the cache of compiled code, if the process has one.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' }
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program, ...args], { env })
  return stdout.slice(0, 500)
}

function writeProgram(name: string, source: string): string {
  const path = join(tempDirForTest(), name)
  writeFileSync(path, source)
  return path
}

test('the built threads of the gateway run no WebAssembly', async () => {
  const program = writeProgram('program.mjs', PROGRAM)
  const modules = ['store', 'token-counter'].map(
    (name) => pathToFileURL(join(PROGRAM_DIR, `${name}.js`)).href,
  )
  expect(await trace(program, dirname(program), ...modules)).toBe('')
  expect(JSON.parse(readFileSync(join(dirname(program), 'result.json'), 'utf8'))).toEqual({
    faults: [],
    backups: 1,
    counted: true,
  })
})

test('a thread of the sources would run some: Node strips types with WebAssembly', async () => {
  expect(await trace(writeProgram('typed.ts', 'export const typed: number = 1'))).toContain(
    'Compiled function',
  )
})
