import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { createGitReport } from './git-report.ts'
import { findRepository, nameRepository } from './repository.ts'

let dir = ''
let seconds = 0
beforeEach(() => {
  dir = tempDirForTest()
  seconds = Math.floor(Date.now() / 1000) - 3600
  git('init', '--quiet', '--initial-branch=main')
})

/** Each command has a second of its own. */
function git(...args: string[]): string {
  seconds += 1
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_COMMITTER_DATE: `${seconds} +0000`,
    GIT_AUTHOR_NAME: 'Ann',
    GIT_AUTHOR_EMAIL: 'ann@example.org',
    GIT_COMMITTER_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'ann@example.org',
  }
  return execFileSync('git', ['-C', dir, ...args], { encoding: 'utf8', env, stdio: 'pipe' }).trim()
}

function commit(name: string, ...args: string[]): { at: string; commit: string } {
  writeFileSync(join(dir, name), name)
  git('add', '.')
  git('commit', '--quiet', '--message', name, ...args)
  return { at: new Date(seconds * 1000).toISOString(), commit: git('rev-parse', 'HEAD') }
}

function read() {
  const repository = findRepository(dir)
  return repository && createGitReport(repository, Date.now())
}

test('the log of HEAD says which commits were made on which branch, and where changes were taken along', () => {
  expect(read()).toMatchObject({ branch: 'main', head: null, commits: [], switches: [] })
  const first = commit('one')
  git('switch', '--quiet', '--create', 'fix')
  const carried = new Date(seconds * 1000).toISOString()
  const second = commit('two')
  git('checkout', '--quiet', 'main')
  const back = new Date(seconds * 1000).toISOString()
  git('merge', '--quiet', '--no-ff', '--message', 'merge', 'fix')
  const merged = { at: new Date(seconds * 1000).toISOString(), commit: git('rev-parse', 'HEAD') }
  expect(read()).toMatchObject({
    branch: 'main',
    head: merged.commit,
    commits: [
      { ...first, branch: 'main' },
      { ...second, branch: 'fix' },
      { ...merged, branch: 'main' },
    ],
    switches: [
      { at: carried, from: 'main', to: 'fix', carries: true },
      { at: back, from: 'fix', to: 'main', carries: false },
    ],
  })
})

test('an amended commit counts as the one that replaced it; a rebase makes no new work', () => {
  commit('one')
  git('switch', '--quiet', '--create', 'fix')
  commit('draft')
  const amended = commit('more', '--amend')
  git('switch', '--quiet', 'main')
  commit('other')
  git('switch', '--quiet', 'fix')
  git('rebase', '--quiet', 'main')
  const report = read()
  expect(report?.branch).toBe('fix')
  expect(report?.commits?.filter(({ branch }) => branch === 'fix')).toEqual([{ ...amended, branch: 'fix' }])
  expect(report?.head).toBe(git('rev-parse', 'HEAD'))
})

test('a detached HEAD has no branch, and packed branches are found', () => {
  const { commit: hash } = commit('one')
  git('pack-refs', '--all')
  expect(read()).toMatchObject({ branch: 'main', head: hash })
  git('checkout', '--quiet', '--detach')
  expect(read()).toMatchObject({ branch: '', head: hash, switches: [{ from: 'main', to: '' }] })
})

test.each([
  ['https://ann:secret@Example.org:8443/ann/shop.git', 'example.org/ann/shop'],
  ['git@example.org:ann/shop', 'example.org/ann/shop'],
  ['ssh://git@example.org:22/ann/shop.git/', 'example.org/ann/shop'],
  ['https://example.org/a b', null],
  ['C:\\repositories\\shop.git', null],
  ['../shop.git', null],
])('the repository at %s is named %s', (url, name) => {
  git('remote', 'add', 'origin', url)
  const repository = findRepository(dir)
  expect(repository && nameRepository(repository)).toBe(name ?? dir.split('/').at(-1))
})
