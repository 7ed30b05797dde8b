import { parse, patch, stringify } from '@decimalturn/toml-patch'
import { errorMessage } from '../shared/values/text.ts'
import { type Edit, type Editor, isRecord, UnreadableFileError, valueAt, withEdit } from './editor.ts'

export const tomlEditor: Editor = {
  empty: '',
  parse(text) {
    try {
      return toPlain(parse(text))
    } catch (error) {
      const [problem = ''] = errorMessage(error).split('\n')
      throw new UnreadableFileError(`It is not valid TOML: ${problem.replace(/:$/, '')}.`)
    }
  },
  edit(text, edit) {
    const document = tomlEditor.parse(text)
    return appendTable(text, edit, document) ?? patch(text, withEdit(document, edit))
  },
}

/** The package's objects have no prototype, and so equal no others. */
function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toPlain(member)]))
}

/** A new table goes to the end under its own header, as people write it; the package would write it in one line. */
function appendTable(text: string, edit: Edit, document: unknown): string | null {
  if (edit.kind !== 'set' || valueAt(document, edit.at) !== undefined) return null
  const tables = collectTables(edit.at.map(String), edit.value)
  if (tables === null) return null
  const gap = text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n'
  return `${text}${gap}${tables}`
}

function collectTables(path: readonly string[], value: unknown): string | null {
  if (!isRecord(value)) return null
  const inner = Object.entries(value).filter(([, member]) => isRecord(member))
  const values = Object.fromEntries(Object.entries(value).filter(([, member]) => !isRecord(member)))
  const header = path.map((name) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name))).join('.')
  const ownText = Object.keys(values).length > 0 ? `[${header}]\n${stringify(values)}` : ''
  return ownText + inner.map(([name, member]) => collectTables([...path, name], member)).join('\n')
}
