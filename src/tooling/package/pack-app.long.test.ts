import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'

test('a script that packs keeps its exit code, also when packing fails', () => {
  const dir = tempDirForTest()
  const script = join(dir, 'script.mjs')
  const release = join(dir, 'release')
  mkdirSync(release)
  writeFileSync(join(release, 'version'), '42.0.0')
  writeFileSync(
    script,
    `const { packApp } = await import(${JSON.stringify(join(import.meta.dirname, 'pack-app.ts'))})
    // Without Electron in its folder, electron-builder begins and fails.
    const electron = { path: ${JSON.stringify(join(release, 'electron'))}, origin: '', isOfficial: false }
    await packApp({ electron, output: ${JSON.stringify(dir)}, dir: true }).catch((error) => console.log(String(error)))
    process.exitCode = 3`,
  )
  const { status, stdout } = spawnSync(process.execPath, [...SOURCE_FLAGS, script], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([3, expect.stringContaining('ENOENT')])
})
