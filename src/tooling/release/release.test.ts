import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { findMismatch, readSection } from './check-version.ts'
import { gatherFiles } from './gather.ts'

const changelog = '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n- Faster.\n\n## 0.1.0\n\nFirst.\n'

test('the notes of a release are its section of the changelog', () => {
  expect(readSection(changelog, '0.2.0')).toBe('- Faster.')
  expect(readSection(changelog, '0.1.0')).toBe('First.')
  expect(readSection(changelog, '0.3.0')).toBeNull()
})

test('a tag is released only if version and changelog agree with it', () => {
  expect(findMismatch('v0.2.0', '0.2.0', changelog)).toBeNull()
  expect(findMismatch('v0.2.0', '0.1.0', changelog)).toContain('has the version 0.1.0')
  expect(findMismatch('v0.3.0', '0.3.0', changelog)).toContain('no section for 0.3.0')
  const early = changelog.replace('## Unreleased\n', '## Unreleased\n- Not yet dated.\n')
  expect(findMismatch('v0.2.0', '0.2.0', early)).toContain('Unreleased')
})

let dir: string
beforeEach(() => {
  dir = tempDirForTest()
})

function addPackage(job: string, name: string): void {
  mkdirSync(join(dir, 'packages', job), { recursive: true })
  writeFileSync(join(dir, 'packages', job, name), job)
}

test('the files of all jobs are gathered in one folder', () => {
  addPackage('package-linux', 'tollgate_0.2.0_amd64.deb')
  addPackage('package-npm', 'tollgate-0.2.0.tgz')
  const to = join(dir, 'release')
  expect(gatherFiles(join(dir, 'packages'), to)).toEqual(['tollgate-0.2.0.tgz', 'tollgate_0.2.0_amd64.deb'])
  expect(readdirSync(to)).toEqual(['tollgate-0.2.0.tgz', 'tollgate_0.2.0_amd64.deb'])
})

test('two files of one name, and none at all, are errors', () => {
  expect(() => gatherFiles(join(dir), join(dir, 'release'))).toThrow('There are no packages')
  addPackage('package-macos', 'latest-mac.yml')
  addPackage('package-macos-intel', 'latest-mac.yml')
  expect(() => gatherFiles(join(dir, 'packages'), join(dir, 'release'))).toThrow('named latest-mac.yml')
})
