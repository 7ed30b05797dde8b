// `npm run check` compares every import under src and e2e with the import table.
import { pathToFileURL } from 'node:url'
import swc, { type ParseOptions } from '@swc/core'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { root } from './commands.ts'
import { importRules } from './import-rules.ts'

// dependency-cruiser finds type imports through TypeScript's JavaScript API, which version 7 does not have, or through
// swc; but its swc parser (17.4) does not say that .tsx files contain JSX.
const { parseFileSync } = swc
swc.parseFileSync = ((file: string, options?: ParseOptions) =>
  parseFileSync(file, {
    ...options,
    syntax: 'typescript',
    tsx: file.endsWith('.tsx'),
  })) as typeof parseFileSync

/** One sentence for every import under `src` and `e2e` of the project in `baseDir` that breaks a rule. */
export async function findForbiddenImports(baseDir: string): Promise<string[]> {
  const { output } = await cruise(
    ['src', 'e2e'],
    {
      baseDir,
      parser: 'swc',
      tsPreCompilationDeps: true,
      doNotFollow: { path: 'node_modules' },
      exclude: { path: '/fixtures/' },
      ruleSet: { forbidden: importRules() },
      validate: true,
    },
    {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json', '.d.ts'],
    },
  )
  return (output as ICruiseResult).summary.violations.map(({ from, to, rule, cycle }) => {
    const target = cycle ? cycle.map(({ name }) => name).join(' → ') : to
    return `${from} → ${target}: ${rule.name}`
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const found = await findForbiddenImports(root)
  for (const sentence of found) console.log(sentence)
  process.exitCode = found.length === 0 ? 0 : 1
}
