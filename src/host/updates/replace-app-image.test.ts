import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { replaceAppImage } from './replace-app-image.ts'

test('the new AppImage gets the name of the old one, and no link next to it is followed', () => {
  const dir = tempDirForTest()
  const path = join(dir, 'Tollgate.AppImage')
  writeFileSync(path, 'old')
  writeFileSync(join(dir, 'download'), 'new')
  writeFileSync(join(dir, 'other'), 'mine')
  symlinkSync(join(dir, 'other'), `${path}.new`)
  replaceAppImage(path, join(dir, 'download'))
  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(statSync(path).mode & 0o777).toBe(0o755)
  expect(readFileSync(join(dir, 'other'), 'utf8')).toBe('mine')
  expect(readdirSync(dir).toSorted()).toEqual(['Tollgate.AppImage', 'download', 'other'])
  expect(() => replaceAppImage(path, join(dir, 'missing'))).toThrow(/ENOENT/)
  expect(readFileSync(path, 'utf8')).toBe('new')
})
