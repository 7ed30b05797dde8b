import type { IForbiddenRuleType } from 'dependency-cruiser'
import { type ImportRow, importTable, testPackages, unrestrictedFolders } from './import-table.ts'

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
    ...rows.flatMap(([name, row]) => [...rulesOfProduct(name, row), ...rulesOfTests(name, row)]),
  ]
}

function rulesOfProduct(
  name: string,
  { folders, packages = [], node = [] }: ImportRow,
): IForbiddenRuleType[] {
  const from = { path: pathOf(name), pathNot: TESTS }
  return [
    ...rulesOfFolders(name, from, [pathOf(name), ...folders.map(pathOf)]),
    ...rulesOfPackages(name, from, packages),
    ...rulesOfNode(name, from, node),
  ]
}

/** A test may import all of its own side of `src`, and the test support of every side that its row imports. */
function rulesOfTests(name: string, { folders, packages = [] }: ImportRow): IForbiddenRuleType[] {
  const from = { path: `^(?=.*${TESTS})${pathOf(name).slice(1)}` }
  const support = folders.map((other) => `^src/${sideOf(other)}/(testing|.+/testing)/`)
  const usesNode = rows.some(([other, { node }]) => sideOf(other) === sideOf(name) && node !== undefined)
  return [
    ...rulesOfFolders(name, from, [`^src/${sideOf(name)}/`, ...folders.map(pathOf), ...support]),
    ...rulesOfPackages(name, from, [...packages, ...testPackages]),
    ...rulesOfNode(name, from, usesNode ? true : []),
  ]
}

function rulesOfFolders(name: string, from: Files, allowed: string[]): IForbiddenRuleType[] {
  return [rule(`folders that ${name} may import`, from, { path: '^(src|e2e)/', pathNot: allowed })]
}

function rulesOfPackages(name: string, from: Files, allowed: readonly string[]): IForbiddenRuleType[] {
  const pathNot = allowed.map((packageName) => `${PACKAGES}${packageName}/`)
  return [rule(`packages that ${name} may import`, from, { path: PACKAGES, pathNot })]
}

function rulesOfNode(name: string, from: Files, allowed: true | readonly string[]): IForbiddenRuleType[] {
  if (allowed === true) return []
  const pathNot = allowed.map((id) => `^(node:)?${id}$`)
  return [rule(`Node modules that ${name} may import`, from, { dependencyTypes: ['core'], pathNot })]
}

function rule(name: string, from: Files, to: object): IForbiddenRuleType {
  return { name, severity: 'error', from, to }
}

/** Matches a file, or the files of a row: all in its folder, or only the direct ones where the folder has rows inside. */
function pathOf(target: string): string {
  if (/\.tsx?$/.test(target)) return `^src/${target.replaceAll('.', String.raw`\.`)}$`
  return rows.some(([name]) => name.startsWith(`${target}/`)) ? `^src/${target}/[^/]+$` : `^src/${target}/`
}

function sideOf(name: string): string {
  return name.split('/')[0] ?? name
}

function knownPaths(): string[] {
  return [...rows.map(([name]) => pathOf(name)), ...unrestrictedFolders.map((name) => `^${name}/`)]
}
