// `node src/tooling/release/check-version.ts v1.2.3`: whether the tag, package.json and CHANGELOG.md agree.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { appVersion } from '../../host/files.ts'
import { parseChangelog } from '../../shared/desktop/changelog.ts'
import { root } from '../commands.ts'

export const readChangelog = (): string => readFileSync(join(root, 'CHANGELOG.md'), 'utf8')

/** The notes of a version in the changelog; null if it has none. */
export function readSection(changelog: string, version: string): string | null {
  return parseChangelog(changelog).find((release) => release.version === version)?.notes || null
}

/** Why this tag must not be released; null if it may. */
export function findMismatch(tag: string, version: string, changelog: string): string | null {
  if (tag !== `v${version}`) return `The tag is ${tag}, but package.json has the version ${version}.`
  if (readSection(changelog, version) === null) return `CHANGELOG.md has no section for ${version}.`
  if (readSection(changelog, 'Unreleased') !== null)
    return 'CHANGELOG.md still lists changes under “Unreleased”.'
  return null
}

if (import.meta.main) {
  const problem = findMismatch(process.argv[2] ?? '', appVersion(), readChangelog())
  if (problem !== null) {
    console.error(problem)
    process.exitCode = 1
  }
}
