// Colors, only where a person reads the output in a terminal.
import type { WriteStream } from 'node:tty'

// ANSI escape codes (ECMA-48): on and off.
const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const
export type Style = keyof typeof STYLES

/** https://no-color.org */
function hasColors(stream: WriteStream): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
}

export function styled(text: string, style: Style, stream: WriteStream = process.stdout): string {
  if (!hasColors(stream)) return text
  const [on, off] = STYLES[style]
  return `\u001b[${on}m${text}\u001b[${off}m`
}
