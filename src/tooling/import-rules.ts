import type { IForbiddenRuleType } from 'dependency-cruiser'
import {
  folderOrders,
  type ImportRow,
  importTable,
  separateFolders,
  testPackages,
  unrestrictedFolders,
} from './import-table.ts'

type Files = Extract<IForbiddenRuleType, { to: unknown }>['from']

const PACKAGES = '(^|/)node_modules/'

/** Tests, and what exists only for them. */
const TESTS = String.raw`(\.test\.tsx?$|/testing/)`

const rows: readonly (readonly [name: string, row: ImportRow])[] = Object.entries(importTable)

/** The import table as rules of dependency-cruiser, for paths relative to the project's root. */
export function importRules(): IForbiddenRuleType[] {
  return [
    rule('no cycle', {}, { circular: true }),
    rule('no unresolved import', {}, { couldNotResolve: true }),
    rule('no orphan', { orphan: true, pathNot: String.raw`\.d\.ts$` }, {}),
    rule('no file outside the import table', { path: '^src/', pathNot: knownPaths() }, {}),
    rule(
      'no test support outside tests',
      { path: '^src/', pathNot: [TESTS, ...unrestrictedFolders] },
      { path: TESTS, pathNot: PACKAGES },
    ),
    ...Object.entries(folderOrders).flatMap(([name, folders]) => createOrderRules(name, folders)),
    ...separateFolders.map((name) =>
      rule(
        `no folder of ${name} imports another`,
        { path: `^src/${name}/([^/]+)/`, pathNot: TESTS },
        { path: `^src/${name}/`, pathNot: `^src/${name}/$1/` },
      ),
    ),
    ...rows.flatMap(([name, row]) => [...createProductRules(name, row), ...createTestRules(name, row)]),
  ]
}

function createProductRules(
  name: string,
  { folders, packages = [], node = [] }: ImportRow,
): IForbiddenRuleType[] {
  const from = { path: getPath(name), pathNot: TESTS }
  return [
    ...createFolderRules(name, from, [getPath(name), ...folders.map(getPath)]),
    ...createPackageRules(name, from, packages),
    ...createNodeRules(name, from, node),
  ]
}

/** A test may import all of its own side of `src`, and the test support of every side that its row imports. */
function createTestRules(name: string, { folders, packages = [] }: ImportRow): IForbiddenRuleType[] {
  const from = { path: `^(?=.*${TESTS})${getPath(name).slice(1)}` }
  const support = folders.map((other) => `^src/${getSide(other)}/(testing|.+/testing)/`)
  const usesNode = rows.some(([other, { node }]) => getSide(other) === getSide(name) && node !== undefined)
  return [
    ...createFolderRules(name, from, [`^src/${getSide(name)}/`, ...folders.map(getPath), ...support]),
    ...createPackageRules(name, from, [...packages, ...testPackages]),
    ...createNodeRules(name, from, usesNode ? true : []),
  ]
}

function createFolderRules(name: string, from: Files, allowed: string[]): IForbiddenRuleType[] {
  return [rule(`folders that ${name} may import`, from, { path: '^(src|e2e)/', pathNot: allowed })]
}

function createOrderRules(name: string, folders: readonly string[]): IForbiddenRuleType[] {
  const path = `^src/${name}/`
  return folders.map((folder, at) =>
    rule(
      `folders of ${name} that ${folder} may import`,
      { path: `${path}${folder}/`, pathNot: TESTS },
      { path, pathNot: `${path}(${folders.slice(0, at + 1).join('|')})/` },
    ),
  )
}

function createPackageRules(name: string, from: Files, allowed: readonly string[]): IForbiddenRuleType[] {
  const pathNot = allowed.map((packageName) => `${PACKAGES}${packageName}/`)
  return [rule(`packages that ${name} may import`, from, { path: PACKAGES, pathNot })]
}

function createNodeRules(name: string, from: Files, allowed: true | readonly string[]): IForbiddenRuleType[] {
  if (allowed === true) return []
  const pathNot = allowed.map((id) => `^(node:)?${id}$`)
  return [rule(`Node modules that ${name} may import`, from, { dependencyTypes: ['core'], pathNot })]
}

function rule(name: string, from: Files, to: object): IForbiddenRuleType {
  return { name, severity: 'error', from, to }
}

/** Matches a file, or the files of a row: all in its folder, or only the direct ones where the folder has rows inside. */
function getPath(target: string): string {
  if (/\.tsx?$/.test(target)) return `^src/${target.replaceAll('.', String.raw`\.`)}$`
  return rows.some(([name]) => name.startsWith(`${target}/`)) ? `^src/${target}/[^/]+$` : `^src/${target}/`
}

function getSide(name: string): string {
  return name.split('/')[0] ?? name
}

function knownPaths(): string[] {
  return [...rows.map(([name]) => getPath(name)), ...unrestrictedFolders.map((name) => `^${name}/`)]
}
