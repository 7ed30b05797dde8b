import { isUtf8 } from 'node:buffer'
import { ExportError } from './export-error.ts'

const UTF16_LE = [0xff, 0xfe]
const UTF16_BE = [0xfe, 0xff]

/** The text of a file, without a byte order mark. Throws ExportError for what is not text. */
export function decodeText(bytes: Uint8Array): { text: string; notes: string[] } {
  const { encoding, notes } = encodingOf(bytes)
  const text = new TextDecoder(encoding).decode(bytes)
  const nul = text.indexOf('\0')
  if (nul >= 0) {
    const row = text.slice(0, nul).split('\n').length
    throw new ExportError(
      `Row ${row} has a NUL character, so this is not a text file. Choose a CSV or JSON file.`,
    )
  }
  if (text.trim() === '') throw new ExportError('The file is empty.')
  return { text, notes }
}

function encodingOf(bytes: Uint8Array): { encoding: string; notes: string[] } {
  const startsWith = (mark: readonly number[]) => mark.every((byte, index) => bytes[index] === byte)
  if (startsWith(UTF16_LE)) return { encoding: 'utf-16le', notes: [] }
  if (startsWith(UTF16_BE)) return { encoding: 'utf-16be', notes: [] }
  if (isUtf8(bytes)) return { encoding: 'utf-8', notes: [] }
  return {
    encoding: 'windows-1252',
    notes: ['The file is not UTF-8. It was read as Windows-1252, so names may have wrong characters.'],
  }
}
