import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { dumpDir, takeDumps } from './dumps.ts'

function tempDir(): string {
  const dataDir = tempDirForTest()
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
