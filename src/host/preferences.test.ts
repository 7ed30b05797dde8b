import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'
import { readPreferences, writePreferences } from './preferences.ts'

let dir = ''
beforeEach(() => {
  dir = tempDirForTest()
})

test('is empty at first', () => {
  expect(readPreferences(dir)).toEqual({})
})

test('changes one preference and keeps the others', () => {
  const window = { x: 1, y: 2, width: 900, height: 600, maximized: false }
  writePreferences(dir, { port: 9000 })
  writePreferences(dir, { window })
  expect(readPreferences(dir)).toEqual({ port: 9000, window })
})

test('leaves one private file and no temporary one', () => {
  writePreferences(dir, { port: 9000 })
  expect(readdirSync(dir)).toEqual(['preferences.json'])
  expect(statSync(join(dir, 'preferences.json')).mode & 0o777).toBe(0o600)
})

test('ignores a broken file', () => {
  writeFileSync(join(dir, 'preferences.json'), '{"port": "many"}')
  expect(readPreferences(dir)).toEqual({})
})
