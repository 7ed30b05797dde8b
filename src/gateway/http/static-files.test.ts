import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readUiFile } from './static-files.ts'

let root = ''
let dir = ''
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'tollgate-static-'))
  dir = join(root, 'renderer')
  mkdirSync(join(dir, 'assets'), { recursive: true })
  writeFileSync(join(dir, 'index.html'), '<!doctype html>')
  writeFileSync(join(dir, 'assets/index-a1_B.js'), 'export {}')
  writeFileSync(join(root, 'secret.txt'), 'secret')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test.each(['/', '/requests', '/keys/key_1'])('%s is the single-page app', async (path) => {
  expect((await readUiFile(dir, path))?.type).toBe('text/html; charset=utf-8')
})

test('returns a file with its content type', async () => {
  const file = await readUiFile(dir, '/assets/index-a1_B.js')
  expect(file?.type).toBe('text/javascript; charset=utf-8')
  expect(new TextDecoder().decode(file?.bytes)).toBe('export {}')
})

test.each([
  '/../secret.txt',
  '/%2e%2e/secret.txt',
  '/assets/..%2f..%2fsecret.txt',
  '/assets/%5c..%5c..%5csecret.txt',
  '/.secret.txt',
  '/index.html%00.js',
  '/%zz.js',
  '/assets/missing.js',
  '/assets/index.exe',
])('refuses %s', async (path) => {
  expect(await readUiFile(dir, path)).toBeNull()
})
