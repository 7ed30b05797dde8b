import { expect, onTestFinished, test, vi } from 'vitest'
import { formatLogLine } from '../../host/log-file.ts'
import { formatJson, print, styled } from './print.ts'

const HOSTILE = '\u001b]0;title\u0007 \u001b[2A\u001b[8mk\u202eevil\u202c \u009b31m'
const SHOWN = ' ]0;title   [2A [8mk evil   31m'

function capture(isTTY: boolean): () => string {
  const before = process.stdout.isTTY
  vi.stubEnv('NO_COLOR', '')
  vi.stubEnv('TERM', 'xterm')
  process.stdout.isTTY = isTTY
  let written = ''
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text)
    return true
  })
  onTestFinished(() => {
    spy.mockRestore()
    vi.unstubAllEnvs()
    process.stdout.isTTY = before
  })
  return () => written
}

test('a text of someone else cannot control the terminal, whose styles are this program’s alone', () => {
  const written = capture(true)
  print(`${styled('Total', 'bold')}\t${HOSTILE}\n`)
  expect(written()).toBe(`\u001b[1mTotal\u001b[22m\t${SHOWN}\n`)
})

test('a file gets no styles', () => {
  const written = capture(false)
  print(`${styled('Total', 'bold')}\t\u001b[31mred\n`)
  expect(written()).toBe('Total\t [31mred\n')
})

test('JSON has the same value, and no character that a terminal obeys', () => {
  const value = { name: HOSTILE, tag: '\u{e0041}', same: '👩‍💻 مفتاح' }
  const line = formatJson(value)
  expect(line).toMatch(/^[^\p{Cc}\u202a-\u202e\u{e0000}-\u{e007f}]+\n$/u)
  expect(line).toContain('👩‍💻 مفتاح')
  expect(JSON.parse(line)).toEqual(value)
})

test('the log in a terminal has the text of an error without its control characters', () => {
  const err = { stack: `Error: ${HOSTILE}\n    at call` }
  const line = formatLogLine(
    JSON.stringify({ time: 'now', level: 'warn', msg: 'A call failed', err, path: HOSTILE }),
  )
  expect(line).toBe(`now warn A call failed: Error: ${SHOWN} path=${SHOWN}\n      at call`)
})
