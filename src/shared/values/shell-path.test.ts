import { expect, test } from 'vitest'
import { shellPath } from './shell-path.ts'

test.each([
  ['~/.claude/settings.json', '~/.claude/settings.json'],
  ['/my files/a', "'/my files/a'"],
  ["~/it's/a b", "~/'it'\\''s/a b'"],
  ['/a$b', "'/a$b'"],
])('%s', (path, typed) => expect(shellPath(path)).toBe(typed))
