// All that commands write: no name, error or file of someone else can control the terminal with it.

import type { WriteStream } from 'node:tty'
import { replaceHidden } from '../../shared/values/text.ts'

/** For the user, or the program that reads the output. */
export function print(text: string): void {
  process.stdout.write(makeSafe(text, process.stdout))
}

export function printJson(value: unknown): void {
  print(formatJson(value, 2))
}

/** Prints a note that is neither data nor an error: it does not reach a program that reads the output. */
export function note(text: string): void {
  process.stderr.write(makeSafe(text, process.stderr))
}

/** Lines of JSON in which hidden characters are escaped; `indent` is the number of spaces, and without it there is one line. */
export function formatJson(value: unknown, indent = 0): string {
  return `${replaceHidden(JSON.stringify(value, null, indent), escapeUnits)}\n`
}

function escapeUnits(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
  return units.map((unit) => `\\u${unit}`).join('')
}

/** Lines, tabs and the styles of this program stay. */
function makeSafe(text: string, stream: WriteStream): string {
  const hasStyles = hasColors(stream)
  return replaceHidden(text, (character, index) => (hasStyles && isStyle(text, index) ? character : ' '))
}

// Colors, only where a person reads the output in a terminal.

// ANSI escape codes (ECMA-48): on and off.
const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const
export type Style = keyof typeof STYLES

const CODES = new RegExp(`\\u001b\\[(?:${Object.values(STYLES).flat().join('|')})m`, 'y')

/** https://no-color.org */
function hasColors(stream: WriteStream): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
}

export function styled(text: string, style: Style, stream: WriteStream = process.stdout): string {
  if (!hasColors(stream)) return text
  const [on, off] = STYLES[style]
  return `\u001b[${on}m${text}\u001b[${off}m`
}

/** Whether the text has one of the codes above at the index. */
function isStyle(text: string, index: number): boolean {
  CODES.lastIndex = index
  return CODES.test(text)
}
