import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'
import { FileChangedError, replaceFile } from './config-file.ts'
import { draftFiles, isWritable, writeDrafts } from './setup-files.ts'
import { SetupRecords } from './setup-records.ts'

let root = ''
beforeEach(() => {
  root = tempDirForTest()
  mkdirSync(join(root, 'home'))
  mkdirSync(join(root, 'data'))
})

it('if the second file changes while the first is written, the first is put back', () => {
  const records = new SetupRecords(join(root, 'data'))
  const path = (name: string) => join(root, 'home', name)
  writeFileSync(path('one'), 'A=1\n')
  writeFileSync(path('two'), 'B=1\n')
  const files = ['one', 'two'].map((name) => ({
    path: name,
    syntax: 'dotenv' as const,
    changes: [{ at: ['KEY'], value: 'x' }],
  }))
  const surroundings = { home: join(root, 'home'), platform: 'linux' as const, env: {} }
  const drafts = draftFiles(files, null, { tool: 'codex', records, surroundings }).filter(isWritable)
  writeFileSync(path('two'), 'B=2\n')
  const setup = { tool: 'codex', keyId: 'key_1', keyCreated: true, extras: [] }
  expect(() => writeDrafts(drafts, records, setup)).toThrow(FileChangedError)
  expect(readFileSync(path('one'), 'utf8')).toBe('A=1\n')
  expect(readFileSync(path('two'), 'utf8')).toBe('B=2\n')
  expect(records.all()).toEqual([])
})

it('folders that were made are removed if one for a later file cannot be', () => {
  const records = new SetupRecords(join(root, 'data'))
  const files = ['a/b/one', 'blocked/two'].map((path) => ({
    path,
    syntax: 'dotenv' as const,
    changes: [{ at: ['KEY'], value: 'x' }],
  }))
  const surroundings = { home: join(root, 'home'), platform: 'linux' as const, env: {} }
  const drafts = draftFiles(files, null, { tool: 'codex', records, surroundings }).filter(isWritable)
  writeFileSync(join(root, 'home/blocked'), 'a file')
  const setup = { tool: 'codex', keyId: 'key_1', keyCreated: true, extras: [] }
  expect(() => writeDrafts(drafts, records, setup)).toThrow()
  expect(readdirSync(join(root, 'home'))).toEqual(['blocked'])
  expect(records.all()).toEqual([])
})

it('a new file does not replace one that appeared meanwhile', () => {
  const path = join(root, 'new')
  writeFileSync(path, 'theirs')
  expect(() => replaceFile({ path, before: null, after: 'ours' })).toThrow(FileChangedError)
  expect(readFileSync(path, 'utf8')).toBe('theirs')
})
