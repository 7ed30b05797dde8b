import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { createGitReport } from '../git/git-report.ts'
import { findRepository } from '../git/repository.ts'
import { projectName } from './project-name.ts'

let dir = ''
beforeEach(() => {
  dir = tempDirForTest()
})

function write(path: string, content: string): void {
  mkdirSync(join(dir, path, '..'), { recursive: true })
  writeFileSync(join(dir, path), content)
}

test.each([
  ['https://example.org/ann/shop.git', 'shop'],
  ['git@example.org:ann/shop', 'shop'],
  ['ssh://git@example.org:22/shop.git/', 'shop'],
  ['C:\\repositories\\shop.git', 'shop'],
])('the repository at %s is %s', (url, name) => {
  const fetchLine = '\tfetch = +refs/heads/*:refs/remotes/origin/*\n'
  write(
    'work/.git/config',
    `[core]\n\tbare = false\n[remote "fork"]\n\turl = x/fork\n[remote "origin"]\n${fetchLine}\turl = ${url}\n`,
  )
  mkdirSync(join(dir, 'work/src/deep'), { recursive: true })
  expect(projectName(join(dir, 'work/src/deep'))).toBe(name)
})

test('without a remote it is the name of the folder, and outside of a repository nothing', () => {
  mkdirSync(join(dir, 'notes/.git'), { recursive: true })
  expect(projectName(join(dir, 'notes'))).toBe('notes')
  expect(projectName(dir)).toBeNull()
})

test('characters that a tag may not have are left out', () => {
  mkdirSync(join(dir, 'sh\u202eop\u200b/.git'), { recursive: true })
  expect(projectName(join(dir, 'sh\u202eop\u200b'))).toBe('sh op')
})

test('a worktree belongs to its repository', () => {
  write('main/.git/config', '[remote "origin"]\n\turl = https://example.org/shop.git\n')
  write('main/.git/worktrees/fix/commondir', '../..\n')
  write('fix/.git', `gitdir: ${join(dir, 'main/.git/worktrees/fix')}\n`)
  expect(projectName(join(dir, 'fix'))).toBe('shop')
})

// Patterns for a whole section would take longer than a test may.
test('a configuration of any shape is read', () => {
  write('work/.git/config', `[remote "origin"]\n${'        fetch = +refs/heads/*\n'.repeat(40)}`)
  expect(projectName(join(dir, 'work'))).toBe('work')
  write('work/.git/config', `[remote "origin"]\n\turl = ${'a '.repeat(400_000)}/\n`)
  expect(projectName(join(dir, 'work'))).toBe('work')
})

// A read of these waits for ever, never ends or fails.
test.skipIf(process.platform === 'win32').each([
  ['a FIFO', (path: string) => execFileSync('mkfifo', [path])],
  ['a link to a device', (path: string) => symlinkSync('/dev/zero', path)],
  ['a link to itself', (path: string) => symlinkSync(path, path)],
])('%s in place of a file of a repository is passed over', (_what, make) => {
  const shop = join(dir, 'shop')
  mkdirSync(shop)
  make(join(shop, '.git'))
  expect(projectName(shop)).toBeNull()
  for (const name of ['config', 'commondir', 'packed-refs', 'logs']) {
    const work = join(dir, name, 'work')
    mkdirSync(join(work, '.git'), { recursive: true })
    writeFileSync(join(work, '.git/HEAD'), 'ref: refs/heads/main\n')
    make(join(work, '.git', name))
    const repository = findRepository(work)
    expect([name, projectName(work)]).toEqual([name, 'work'])
    expect(repository && createGitReport(repository, 0)).toMatchObject({ branch: 'main', head: null })
  }
})
