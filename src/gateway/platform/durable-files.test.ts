import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDirForTest } from '../testing/temp-dir.ts'
import { writeFileAtomic } from './durable-files.ts'

function tempDir(): string {
  const dir = tempDirForTest()
  return dir
}

test('replaces the content, leaves no other file, and lets only the owner read it', () => {
  const dir = tempDir()
  const path = join(dir, 'note.json')
  writeFileSync(path, 'old', { mode: 0o644 })
  writeFileAtomic(path, 'new')
  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(readdirSync(dir)).toEqual(['note.json'])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('replaces the remains of an interrupted write, and never writes through a link', () => {
  const dir = tempDir()
  const outside = join(tempDir(), 'outside')
  writeFileSync(outside, 'untouched')
  symlinkSync(outside, join(dir, 'note.json.new'))
  writeFileAtomic(join(dir, 'note.json'), 'new')
  expect(readFileSync(outside, 'utf8')).toBe('untouched')
  expect(readdirSync(dir)).toEqual(['note.json'])
})
