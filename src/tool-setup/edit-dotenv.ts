import { type Editor, UnreadableFileError } from './editor.ts'

const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=(.*)$/

/** Lines of `NAME=value`. Values are kept as they are written, with their quotes. */
export const dotenvEditor: Editor = {
  empty: '',
  parse(text) {
    const values: Record<string, string> = {}
    for (const [index, line] of text.split('\n').entries()) {
      if (/^\s*(#.*)?$/.test(line)) continue
      const [, name, value] = ASSIGNMENT.exec(line) ?? []
      // Such a line is, for instance, the second one of a value that has several.
      if (name === undefined || value === undefined) {
        throw new UnreadableFileError(`Line ${index + 1} is not of the form NAME=value.`)
      }
      if (Object.hasOwn(values, name)) throw new UnreadableFileError(`It sets ${name} more than once.`)
      values[name] = value
    }
    return values
  },
  edit(text, edit) {
    const [name] = edit.at
    const lines = text.split('\n')
    const index = lines.findIndex((line) => ASSIGNMENT.exec(line)?.[1] === name)
    if (edit.kind === 'remove') return lines.filter((_, other) => other !== index).join('\n')
    const line = `${name}=${String(edit.value)}`
    if (index !== -1) return lines.with(index, line).join('\n')
    return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`
  },
}
