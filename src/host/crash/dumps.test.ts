import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { dumpDir, takeDumps } from './dumps.ts'

function tempDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-dumps-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

test('a dump that cannot be read, or is gone already, is no error, and all others are removed', () => {
  const dataDir = tempDir()
  const dir = join(dumpDir(dataDir), 'completed')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'old.dmp'), 'not a dump')
  symlinkSync(join(dir, 'moved'), join(dir, 'gone.dmp'))
  mkdirSync(join(dir, 'held.dmp'))
  expect(takeDumps(dataDir)).toBeNull()
  expect(readdirSync(dir)).toEqual(['held.dmp'])
})

test('no dumps are no error', () => expect(takeDumps(tempDir())).toBeNull())
