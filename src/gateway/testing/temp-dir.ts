import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

const createDir = () => mkdtempSync(join(tmpdir(), 'tollgate-test-'))
const remove = (dir: string) => rmSync(dir, { recursive: true, force: true })

/** A folder that is removed after the running test. */
export function tempDirForTest(): string {
  const dir = createDir()
  onTestFinished(() => remove(dir))
  return dir
}

/** A folder that is removed after the last test of the file. */
export function tempDirForFile(): string {
  const dir = createDir()
  afterAll(() => remove(dir))
  return dir
}
