// Installs the tools once, from the npm registry, into the ignored cache folder, without install scripts.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { cacheDir, runNpm } from '../commands.ts'

/** Marks a complete installation. */
const DONE = 'installed.txt'
const FLAGS = [
  ...['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'],
  // Without a registry, every tool is skipped quickly.
  '--fetch-retries=0',
]

/**
 * The folders of the packages' programs, in the form of PATH. `overrides` has the versions of packages that these depend
 * on, by name. Throws npm's error message.
 */
export async function install(
  packages: readonly string[],
  overrides: Readonly<Record<string, string>> = {},
): Promise<string> {
  if (packages.length === 0) return dirname(process.execPath)
  const fixed = Object.entries(overrides).map(([name, version]) => `${name}@${version}`)
  const dir = join(cacheDir, 'tools', [...packages, ...fixed].join('+').replaceAll('/', '+'))
  if (!existsSync(join(dir, DONE))) {
    rmSync(dir, { recursive: true, force: true })
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true, overrides }))
    const args = ['install', '--save-exact', ...packages, '--prefix', dir, ...FLAGS]
    const { code, output } = await runNpm(args, { cwd: dir })
    if (code !== 0)
      throw new Error(output.match(/npm error (?!code|errno|syscall)\S.*/)?.[0] ?? output.slice(-300))
    writeFileSync(join(dir, DONE), `${packages.join('\n')}\n`)
  }
  return programFolders(join(dir, 'node_modules'), packages).join(delimiter)
}

/** Where npm links programs, and where packages that only contain a program for one platform have it. */
function programFolders(modules: string, packages: readonly string[]): string[] {
  const own = packages.map((spec) => join(modules, spec.slice(0, spec.lastIndexOf('@'))))
  return [join(modules, '.bin'), ...own.flatMap((dir) => [join(dir, 'bin'), dir])].filter(
    (path) => existsSync(path) && readdirSync(path).length > 0,
  )
}
