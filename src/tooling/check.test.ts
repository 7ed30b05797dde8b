// Runs the real `npm run check` in a small project that has this project's configuration, and a deliberate violation of every
// rule. That the check accepts what violates none is shown by this project itself.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { root } from './commands.ts'

const CONFIGURATION = [
  ...['.gitignore', 'biome.json', 'electron.vite.config.ts', 'tsconfig.json', 'src/tsconfig.base.json'],
  ...globSync('src/*/tsconfig.json', { cwd: root }),
  'e2e/tsconfig.json',
  'docs/architecture.md',
  ...[
    'check',
    'check-commits',
    'check-prose',
    'commands',
    'import-lists',
    'imports',
    'knip.config',
    'lines',
    'test-times',
  ].map((name) => `src/tooling/${name}.ts`),
  ...['prose', 'window-prose'].map((name) => `src/tooling/${name}.ts`),
  ...[
    'build-plugins',
    'choose-chunk',
    'licenses',
    'missing-licenses',
    'sbom',
    'shipped-packages',
    'smaller-assets',
    'threads',
  ].map((name) => `src/tooling/${name}.ts`),
  'src/shared/desktop/license-file.ts',
  'src/tooling/check-commits.test.ts',
  ...['function-names', 'no-direct-time', 'no-literal-spread', 'no-sql'].map(
    (name) => `src/tooling/${name}.grit`,
  ),
]

/** The dependencies of the small project. */
const PACKAGES = [
  ...['@swc/core', '@tailwindcss/vite', '@types/node', '@vitejs/plugin-react', 'better-sqlite3'],
  ...['electron', 'electron-vite', 'knip', 'react', 'typescript', 'vitest', 'zod'],
]

const GATEWAY = `import type { Usd } from '../../shared/money/money.ts'
import { openStore } from '../store/store.ts'

export const createGateway = (cap: typeof Usd) => ({ cap, store: openStore() })
`

const GOOD: Files = {
  'src/shared/money/money.ts': `import { z } from 'zod'

export const Usd = z.number()
`,
  'src/gateway/store/store.ts': `import Database from 'better-sqlite3'

export function openStore(): unknown {
  return new Database(':memory:').prepare('SELECT id FROM keys').all()
}
`,
  'src/gateway/store/engine/worker.ts': `import '../store.ts'\n`,
  'src/gateway/models/tokens/token-worker.ts': `import 'node:worker_threads'\n`,
  'src/gateway/testing/sample.ts': `export const sample = 1\n`,
  'src/gateway/compose/gateway.ts': GATEWAY,
  'src/gateway/compose/gateway.test.ts': `import { expect, test } from 'vitest'
import { openStore } from '../store/store.ts'
import { sample } from '../testing/sample.ts'

test('it opens', () => expect(openStore()).toBe(sample))
`,
  'src/host/start.ts': `import { createGateway } from '../gateway/compose/gateway.ts'
import { Usd } from '../shared/money/money.ts'

export const startHost = () => createGateway(Usd)
`,
  'src/cli/cli.ts': `import { startHost } from '../host/start.ts'

startHost()
`,
  'src/main/index.ts': `import { app } from 'electron'

app.quit()
`,
  'src/preload/index.ts': `import { ipcRenderer } from 'electron'

ipcRenderer.send('ready')
`,
  'src/renderer/index.html': `<!doctype html>
<html lang="en">
  <body>
    <script type="module" src="./main.tsx"></script>
  </body>
</html>
`,
  'src/renderer/main.tsx': `import { Fragment } from 'react'

export const app = <Fragment>Tollgate</Fragment>
`,
  'src/contract/api.test.ts': `import '../gateway/compose/gateway.ts'\n`,
  'src/tooling/serve.ts': `import { cacheDir, run } from './commands.ts'
import './threads.ts'

await run(cacheDir, [])
`,
  'e2e/main.spec.ts': `import 'node:fs'\n`,
}

/** A file that breaks a rule, and what `npm run check` prints of it. */
const BREAKS: [step: string, path: string, source: string, printed: string][] = [
  ['types', 'src/shared/a.ts', `export const a: number = 'one'`, '(1,14): error TS2322'],
  ['lint', 'src/host/b.ts', `export const b: any = 1`, ':1:17 lint/suspicious/noExplicitAny'],
  ['lint', 'src/gateway/keys/b.ts', `console.log(1)`, ':1:1 lint/suspicious/noConsole'],
  ['lint', 'src/gateway/keys/names.ts', `export function rowOf() {}`, ':1:17 plugin'],
  ['lint', 'src/gateway/keys/sql.ts', `export const rows = 'SELECT id FROM keys'`, ':1:21 plugin'],
  ['lint', 'src/host/sql.ts', `export const sql = \`\n  UPDATE keys SET name = ''\n\``, ':1:20 plugin'],
  ['prose', 'src/host/prose.ts', '// It was lately so.', ':1: '],
  ['prose', 'src/host/fragment.ts', '/** Of all keys. */', ':1: a comment'],
  ['prose', 'src/renderer/prose.tsx', `export const text = <p>Go on there</p>`, ': '],
  ['unused code', 'src/host/unused.ts', `export const unused = 1`, ''],
  ['unused code', 'src/gateway/compose/gateway.ts', `${GATEWAY}export const unused = 1`, ':5:14'],
]

/** A file with an import that is not allowed, and the rule that it breaks. */
const IMPORTS: [path: string, source: string, rule: string][] = [
  ['src/gateway/http/a.ts', `import 'electron'`, 'packages that gateway/http may import'],
  ['src/gateway/http/b.ts', `export type { App } from 'electron'`, 'packages that gateway/http may import'],
  ['src/gateway/http/a.test.ts', `import 'electron'`, 'packages that gateway/http may import'],
  ['src/gateway/keys/c.ts', `await import('@github/keytar')`, 'packages that gateway/keys may import'],
  ['src/gateway/keys/d.ts', `require('@github/keytar')`, 'packages that gateway/keys may import'],
  ['src/gateway/keys/e.ts', `import 'better-sqlite3'`, 'packages that gateway/keys may import'],
  ['src/gateway/keys/e.test.ts', `import 'better-sqlite3'`, 'packages that gateway/keys may import'],
  ['src/gateway/formats/a.ts', `import 'undici'`, 'packages that gateway/formats may import'],
  ['src/gateway/store/a.ts', `import 'undici'`, 'packages that gateway/store may import'],
  ['src/renderer/b.ts', `import 'electron'`, 'packages that renderer may import'],
  ['src/gateway/formats/b.ts', `import 'node:net'`, 'Node modules that gateway/formats may import'],
  ['src/renderer/c.ts', `import 'node:fs/promises'`, 'Node modules that renderer may import'],
  ['src/renderer/c.test.ts', `import 'fs'`, 'Node modules that renderer may import'],
  ['src/gateway/platform/a.ts', `import '../store/store.ts'`, 'folders that gateway/platform may import'],
  ['src/gateway/formats/c.ts', `import '../store/store.ts'`, 'folders that gateway/formats may import'],
  ['src/gateway/formats/chat/a.ts', `import '../a.ts'`, 'parts of gateway/formats that chat may import'],
  ['src/gateway/keys/f.ts', `import '../compose/gateway.ts'`, 'folders that gateway/keys may import'],
  ['src/gateway/keys/g.ts', `import '../../cli/cli.ts'`, 'folders that gateway/keys may import'],
  ['src/shared/b.ts', `import '../gateway/compose/gateway.ts'`, 'folders that shared may import'],
  [
    'src/main/a.ts',
    `export type { createGateway } from '../gateway/compose/gateway.ts'`,
    'folders that main may import',
  ],
  ['src/preload/a.ts', `import '../shared/money/money.ts'`, 'folders that preload may import'],
  [
    'src/renderer/d.tsx',
    `export { createGateway } from '../gateway/compose/gateway.ts'`,
    'folders that renderer may import',
  ],
  ['src/renderer/kit/e.ts', `import '../features/one/e.ts'`, 'parts of renderer that kit may import'],
  [
    'src/renderer/features/one/e.ts',
    `import '../two/e.ts'`,
    'no folder of renderer/features imports another',
  ],
  ['src/renderer/features/two/e.ts', `import 'node:fs'`, 'Node modules that renderer may import'],
  ['src/renderer/d.test.tsx', `import '../gateway/compose/gateway.ts'`, 'folders that renderer may import'],
  ['src/host/c.ts', `import '../contract/api.test.ts'`, 'folders that host may import'],
  ['src/host/d.ts', `import '../cli/cli.ts'`, 'folders that host may import'],
  ['src/cli/a.ts', `import '../gateway/compose/gateway.ts'`, 'folders that cli may import'],
  ['src/gateway/http/c.ts', `import '../testing/sample.ts'`, 'no test support outside tests'],
  ['src/gateway/http/d.ts', `import './a.test.ts'`, 'no test support outside tests'],
  ['src/utils/a.ts', `import 'node:fs'`, 'no file outside the diagram'],
  ['src/gateway/utils/a.ts', `import 'node:fs'`, 'no file outside the diagram'],
  ['src/gateway/http/g.ts', `export type { H } from './h.ts'\nexport type G = 1`, 'no cycle'],
]

/** Generous, for a machine that is busy with other tests. */
const TIMEOUT_MS = 60_000

let output = ''

beforeAll(() => {
  const files = [...BREAKS.map(([, path, source]) => [path, source]), ...IMPORTS]
  const broken = Object.fromEntries(files.map(([path, source]) => [path, `${source}\n`]))
  const otherHalfOfCycle = { 'src/gateway/http/h.ts': `export type { G } from './g.ts'\nexport type H = 1\n` }
  output = runCheck({ ...GOOD, ...broken, ...otherHalfOfCycle }, [...PACKAGES, 'undici'])
}, TIMEOUT_MS)

test('a rule violation fails the check', () => {
  expect(output).toMatch(/exit code 1$/)
})

test.each(BREAKS)('%s: in %s, %j', (step, path, _source, printed) => {
  expect(getOutput(step)).toContain(path + printed)
})

test('unused code: a package that nothing imports', () => {
  expect(getOutput('unused code')).toMatch(/^undici +package\.json/m)
})

test.each(IMPORTS)('imports: in %s, %j', (path, _source, rule) => {
  const lines = getOutput('imports').split('\n')
  expect(lines.filter((line) => line.startsWith(`${path} → `) && line.endsWith(rule))).not.toEqual([])
})

function getOutput(step: string): string {
  const start = output.indexOf(`✗ ${step} (`)
  expect(start, output).not.toBe(-1)
  return output.slice(start).split(/\n[✓✗] /)[0] ?? ''
}

type Files = Readonly<Record<string, string>>

/** The output of `npm run check` in a project of these files and packages, with its exit code. */
function runCheck(files: Files, packages: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-check-'))
  try {
    for (const path of CONFIGURATION) cpSync(join(root, path), join(folder, path))
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const [path, text] of Object.entries({ ...files, 'package.json': manifest(packages) })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, ['src/tooling/check.ts'], {
      cwd: folder,
      encoding: 'utf8',
    })
    return `${stderr}${stdout}exit code ${status}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function manifest(packages: readonly string[]): string {
  const { main, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const scripts = { check: 'node src/tooling/check.ts', serve: 'node src/tooling/serve.ts' }
  const devDependencies = Object.fromEntries(packages.map((name) => [name, '*']))
  return `${JSON.stringify({ name: 'small', private: true, main, type, scripts, devDependencies }, null, 2)}\n`
}
