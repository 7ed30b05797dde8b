// V8 can crash the process when several threads run WebAssembly. The built threads of the gateway run none.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { SOURCE_FLAGS } from '../gateway/testing/source-flags.ts'
import { cacheDir, root } from './commands.ts'
import { buildAsShipped } from './program-for-tests.ts'

const from = (path: string) => join(root, 'src/gateway', path)

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

/** The program's result, and V8's trace of the WebAssembly that it compiled in any thread. */
async function runTraced(dataDir: string, modules: readonly string[]) {
  const program = join(dataDir, 'program.mjs')
  writeFileSync(program, PROGRAM)
  const urls = modules.map((path) => pathToFileURL(path).href)
  const flags = [...SOURCE_FLAGS, '--trace-wasm-compilation-times']
  // V8 writes its trace to the standard output; the program writes nothing there.
  // Types that were stripped in an earlier run would come from the cache of compiled code, if the process has one.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' }
  const args = [...flags, program, dataDir, ...urls]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  const result: unknown = JSON.parse(readFileSync(join(dataDir, 'result.json'), 'utf8'))
  return { result, trace: stdout.slice(0, 500) }
}

function createTemporaryDir(): string {
  mkdirSync(cacheDir, { recursive: true })
  // Inside the project, so that the built files find their packages.
  const dir = mkdtempSync(join(cacheDir, 'threads-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const RESULT = { faults: [], backups: 1, counted: true }
const TIMEOUT_MS = 60_000

test(
  'the built threads of the gateway run no WebAssembly',
  async () => {
    const dir = createTemporaryDir()
    const outDir = join(dir, 'built')
    await buildAsShipped(outDir, {
      store: from('store/store.ts'),
      'token-counter': from('models/tokens/token-counter.ts'),
    })
    const modules = [join(outDir, 'store.js'), join(outDir, 'token-counter.js')]
    expect(await runTraced(dir, modules)).toEqual({ result: RESULT, trace: '' })
  },
  TIMEOUT_MS,
)

test(
  'started from the sources they run some: Node strips types with WebAssembly',
  async () => {
    const { result, trace } = await runTraced(createTemporaryDir(), [
      from('store/store.ts'),
      from('models/tokens/token-counter.ts'),
    ])
    expect(result).toEqual(RESULT)
    expect(trace).toContain('Compiled function')
  },
  TIMEOUT_MS,
)
