// All that commands write: no name, error or file of someone else can control the terminal with it.
import type { WriteStream } from 'node:tty'
import { replaceHidden } from '../../shared/values/text.ts'
import { hasColors, isStyle } from './style.ts'

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
