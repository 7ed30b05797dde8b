// Counts the lines of the product, the tests and the tooling, and those of each feature: `npm run check` prints them.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './commands.ts'

const TESTS = /\.test\.tsx?$|\/testing\/|^src\/contract\/|^e2e\//

interface Sum {
  lines: number
  files: number
}

/** The sums by name: product, tests, tooling, and each folder in a folder named features. */
export function countLines(): ReadonlyMap<string, Sum> {
  const paths = globSync('{src,e2e}/**/*.{ts,tsx,css,grit}', { cwd: root })
  const sums = new Map<string, Sum>([['product', { lines: 0, files: 0 }]])
  for (const path of paths) {
    const lines = readFileSync(join(root, path), 'utf8').split('\n').length - 1
    for (const name of listGroups(path)) {
      const sum = sums.get(name) ?? { lines: 0, files: 0 }
      sums.set(name, { lines: sum.lines + lines, files: sum.files + 1 })
    }
  }
  return sums
}

function listGroups(path: string): string[] {
  if (TESTS.test(path)) return ['tests']
  if (path.startsWith('src/tooling/')) return ['tooling']
  const feature = /^src\/(?:\w+\/)?features\/([\w-]+)\//.exec(path)?.[1]
  return feature === undefined ? ['product'] : ['product', feature]
}

/** The sums as text: first those of all, then the features, the largest first. */
export function formatLines(sums: ReadonlyMap<string, Sum>): string {
  const names = ['product', 'tests', 'tooling']
  const features = [...sums]
    .filter(([name]) => !names.includes(name))
    .toSorted(([, a], [, b]) => b.lines - a.lines)
  const all = names.map((name) => {
    const { lines, files } = sums.get(name) ?? { lines: 0, files: 0 }
    return `${name} ${lines.toLocaleString('en')} lines in ${files} files`
  })
  return `${all.join(', ')}\nfeatures: ${features.map(([name, { lines }]) => `${name} ${lines}`).join(', ')}`
}
