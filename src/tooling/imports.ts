// `npm run check` compares every import under src and e2e with the diagram in docs/architecture.md and with the lists of
// import-lists.ts. That each import leads to a file, and each file is used, is checked with the types and the unused code.
import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, posix } from 'node:path'
import { root } from './commands.ts'
import {
  innerOrders,
  packages,
  separateFolders,
  testPackages,
  unrestrictedFolders,
  withoutNode,
} from './import-lists.ts'

/** Tests, and what exists only for them. */
const TESTS = /\.test\.tsx?$|\/testing\//

/** Statements begin a line; what else looks like one is in a text. */
const STATEMENT = /^(?:import|export)\s(?:[^'"`;]*?\sfrom\s*)?['"]([^'"\n]+)['"]/gm
const CALL = /(?:\bimport|\brequire|\btypeof import)\(\s*['"]([^'"\n]+)['"]\s*\)/g

/** The folders that a folder, or a file of it, may import: `whole` with all that these import, `single` by themselves. */
interface Arrows {
  whole: Set<string>
  single: Set<string>
}

/** The arrows of the diagram by folder of `src`. A dotted arrow is `single`. */
export function readDiagram(text: string): ReadonlyMap<string, Arrows> {
  const diagram = /```mermaid\n(.*?)```/s.exec(text)?.[1] ?? ''
  const group = /subgraph src\/(\S+)\n(.*?)\n\s*end/s.exec(diagram)
  const inner = new Set(
    [...(group?.[2] ?? '').matchAll(/^\s*(\S+) --> (\S+)/gm)].flatMap(([, from = '', to = '']) => [from, to]),
  )
  const toPath = (node: string) => {
    const [folder = ''] = node.split('/')
    return inner.has(folder) ? `${group?.[1]}/${node}` : node
  }
  const rows = new Map<string, Arrows>()
  const addRow = (name: string) => {
    const row = rows.get(name) ?? { whole: new Set<string>(), single: new Set<string>() }
    rows.set(name, row)
    return row
  }
  for (const [, from = '', arrow, to = ''] of diagram.matchAll(/^\s*(\S+) (-->|-\.->) (\S+)$/gm)) {
    const row = addRow(toPath(from))
    if (arrow === '-->') {
      addRow(toPath(to))
      row.whole.add(toPath(to))
    } else row.single.add(toPath(to))
  }
  for (const row of rows.values())
    for (const name of row.whole) for (const next of rows.get(name)?.whole ?? []) row.whole.add(next)
  return rows
}

/** One sentence for every import under `src` and `e2e` of the project in `baseDir` that breaks a rule. */
export function findForbiddenImports(baseDir: string): string[] {
  const rows = readDiagram(readFileSync(join(baseDir, 'docs/architecture.md'), 'utf8'))
  const paths = globSync('{src,e2e}/**/*.{ts,tsx}', { cwd: baseDir })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.includes('/fixtures/'))
    .sort()
  const files = new Map(paths.map((path) => [path, listImports(readFileSync(join(baseDir, path), 'utf8'))]))
  const found = [...files].flatMap(([path, imports]) =>
    imports.flatMap((name) => {
      const target = name.startsWith('.') ? resolveFrom(path, name) : name
      return explain(path, target, name.startsWith('.'), rows).map((rule) => `${path} → ${target}: ${rule}`)
    }),
  )
  const outside = paths
    .filter((path) => path.startsWith('src/') && !isUnrestricted(path) && findRow(path, rows) === null)
    .map((path) => `${path} → : no file outside the diagram`)
  return [...outside, ...found, ...findCycles(files)]
}

function listImports(source: string): string[] {
  return [...source.matchAll(STATEMENT), ...source.matchAll(CALL)].map(([, name = '']) =>
    name.replace(/\?.*$/, ''),
  )
}

function resolveFrom(path: string, name: string): string {
  return posix.join(posix.dirname(path), name)
}

/** The rules that an import breaks. */
function explain(path: string, target: string, isFile: boolean, rows: ReadonlyMap<string, Arrows>): string[] {
  const row = findRow(path, rows)
  if (row === null || isUnrestricted(path)) return []
  const { whole, single } = rows.get(row) ?? { whole: new Set(), single: new Set() }
  const isTest = TESTS.test(path)
  if (isBuiltin(target))
    return withoutNode.includes(row) && !(isTest && usesNode(row, rows))
      ? [`Node modules that ${row} may import`]
      : []
  if (!isFile) {
    const name = target
      .split('/')
      .slice(0, target.startsWith('@') ? 2 : 1)
      .join('/')
    const allowed = [...(packages[row] ?? []), ...(isTest ? testPackages : [])]
    return allowed.includes(name) || allowed.includes(name.split('/')[0] ?? '')
      ? []
      : [`packages that ${row} may import`]
  }
  if (!/^(src|e2e)\//.test(target)) return []
  const other = findRow(target, rows)
  const broken: string[] = []
  if (TESTS.test(target) && !isTest) broken.push('no test support outside tests')
  const isSingle = [...single].some(
    (name) => name === other || `src/${name}` === target || target.startsWith(`src/${name}/`),
  )
  const isSupport =
    isTest &&
    TESTS.test(target) &&
    [row, ...whole, ...single].some((name) => getSide(name) === getSide(other ?? target.slice(4)))
  const isOwnSide = isTest && other !== null && getSide(row) === getSide(other)
  if (other !== row && !isSingle && !isSupport && !isOwnSide && (other === null || !whole.has(other)))
    broken.push(`folders that ${row} may import`)
  if (!isTest) broken.push(...explainOrder(path, target))
  return broken
}

/** Inside a folder, its folders or files have an order, or import nothing of each other. */
function explainOrder(path: string, target: string): string[] {
  const broken: string[] = []
  for (const [folder, order] of Object.entries(innerOrders)) {
    const from = getPart(folder, path)
    const to = getPart(folder, target)
    if (from === null || to === null || from === to || !order.includes(from)) continue
    if (order.indexOf(to) === -1 || order.indexOf(to) > order.indexOf(from))
      broken.push(`parts of ${folder} that ${from} may import`)
  }
  for (const folder of separateFolders) {
    const from = getFolder(folder, path)
    const to = getFolder(folder, target)
    if (from !== null && to !== null && from !== to) broken.push(`no folder of ${folder} imports another`)
  }
  return broken
}

/** The folder, or file without its ending, in which `path` is below `folder`. */
function getPart(folder: string, path: string): string | null {
  const start = `src/${folder}/`
  return path.startsWith(start)
    ? (path
        .slice(start.length)
        .split('/')[0]
        ?.replace(/\.tsx?$/, '') ?? null)
    : null
}

function findRow(path: string, rows: ReadonlyMap<string, Arrows>): string | null {
  const [, side = '', folder = '', face = ''] = path.split('/')
  if (side === 'features') {
    const row = path.split('/').length === 3 ? side : `${side}/${face}`
    return rows.has(row) ? row : null
  }
  if (rows.has(`${side}/${folder}`)) return `${side}/${folder}`
  if (side === 'gateway' && folder === 'testing') return 'gateway/compose'
  return rows.has(side) && path.startsWith('src/') ? side : null
}

/** The folder in which `path` is below `folder`; null for a file that is in `folder` itself. */
function getFolder(folder: string, path: string): string | null {
  const start = `src/${folder}/`
  const [name = '', ...rest] = path.slice(start.length).split('/')
  return path.startsWith(start) && rest.length > 0 ? name : null
}

function usesNode(row: string, rows: ReadonlyMap<string, Arrows>): boolean {
  return [...rows.keys()].some((name) => getSide(name) === getSide(row) && !withoutNode.includes(name))
}

/** The part of a feature is on the side of the folder that it is made for. */
function getSide(name: string): string {
  const [side = name, face = ''] = name.split('/')
  return side === 'features' ? (FACES[face] ?? 'shared') : side
}

const FACES: Readonly<Record<string, string>> = { gateway: 'gateway', cli: 'cli', view: 'renderer' }

function isUnrestricted(path: string): boolean {
  return unrestrictedFolders.some((folder) => path.startsWith(`${folder}/`))
}

/** Files that import each other, also over others, and also types. */
function findCycles(files: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = []
  const finished = new Set<string>()
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path))
      found.push(`${[...trail.slice(trail.indexOf(path)), path].join(' → ')}: no cycle`)
    if (finished.has(path) || trail.includes(path)) return
    for (const name of files.get(path) ?? []) {
      const target = name.startsWith('.') ? resolveFrom(path, name) : ''
      if (files.has(target)) visit(target, [...trail, path])
    }
    finished.add(path)
  }
  for (const path of files.keys()) visit(path, [])
  return found
}

if (import.meta.main) {
  const found = findForbiddenImports(root)
  for (const sentence of found) console.log(sentence)
  process.exitCode = found.length === 0 ? 0 : 1
}
