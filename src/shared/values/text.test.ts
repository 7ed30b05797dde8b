import { expect, test } from 'vitest'
import { hasHidden, printable, shellPath } from './text.ts'

test.each([
  ['an escape sequence', '\u001b]0;title\u0007'],
  ['a control character of eight bits', '\u009b2J'],
  ['a line break', 'a\nb'],
  ['a line separator', 'a\u2028b'],
  ['a change of direction', 'k\u202eevil\u202c'],
  ['an isolated direction', '\u2066evil\u2069'],
  ['a mark of direction', 'a\u200fb'],
  ['a space without a width', 'ad\u200bmin'],
  ['a joiner that joins nothing', 'ad\u200dmin'],
  ['a joiner between a letter and an emoji', 'a\u200c😀'],
  ['a byte order mark', '\ufeffadmin'],
  ['a soft hyphen', 'ad\u00admin'],
  ['a filler', 'ad\u3164min'],
  ['a selector that selects nothing', 'admin\ufe0f'],
  ['a tag', 'admin\u{e0041}'],
  ['half of a pair', 'admin\ud800'],
])('%s is hidden', (_, text) => {
  expect(hasHidden(text)).toBe(true)
  expect(hasHidden(printable(text))).toBe(false)
})

test.each([
  'O’Neill <b> & “two”',
  '👩‍💻 👩🏽‍🚀 🏳️‍🌈 ❤️ 1️⃣',
  'می‌خواهم',
  'क्‍ष',
  'Ключ № 1, 鍵, مفتاح',
  'Zoë, Zoe\u0308',
])('nothing is hidden in %s', (text) => {
  expect(hasHidden(text)).toBe(false)
  expect(printable(text)).toBe(text)
})

test('a run of hidden characters becomes one space, and none at the ends', () => {
  expect(printable('\u001b[2J k\u202e\u200bevil\u202c\n')).toBe('[2J k evil')
})

test.each([
  ['~/.claude/settings.json', '~/.claude/settings.json'],
  ['/my files/a', "'/my files/a'"],
  ["~/it's/a b", "~/'it'\\''s/a b'"],
  ['/a$b', "'/a$b'"],
])('a shell path: %s', (path, typed) => expect(shellPath(path)).toBe(typed))
