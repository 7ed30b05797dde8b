// Colors, only where a person reads the output in a terminal.
import type { WriteStream } from 'node:tty'

// ANSI escape codes (ECMA-48): on and off.
const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const
export type Style = keyof typeof STYLES

const CODES = new RegExp(`\\u001b\\[(?:${Object.values(STYLES).flat().join('|')})m`, 'y')

/** https://no-color.org */
export function hasColors(stream: WriteStream): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
}

export function styled(text: string, style: Style, stream: WriteStream = process.stdout): string {
  if (!hasColors(stream)) return text
  const [on, off] = STYLES[style]
  return `\u001b[${on}m${text}\u001b[${off}m`
}

/** Whether the text has one of the codes above at the index. */
export function isStyle(text: string, index: number): boolean {
  CODES.lastIndex = index
  return CODES.test(text)
}
