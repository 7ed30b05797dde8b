// The future content of a tool's files; writes nothing.
import type { ConfigFile } from '../shared/tools/tool-config.ts'
import { SECRET_PLACEHOLDER } from '../shared/tools/tool-setup.ts'
import { errorMessage } from '../shared/values/text.ts'
import { applyChanges, digest, type UndoStep, undoChanges } from './changes.ts'
import { readText } from './config-file.ts'
import { type FoundFile, findConfigFile, type Surroundings } from './config-path.ts'
import { isRecord, UnreadableFileError, valueAt } from './editor.ts'
import { editors } from './editor-by-syntax.ts'
import type { FileRecord, SetupRecord, SetupRecords } from './setup-records.ts'

export interface FileDraft {
  file: ConfigFile
  target: FoundFile
  /** The text now; null if there is no file. */
  current: string | null
  /** The text without what an earlier setup wrote. */
  base: string | null
  after: string
  steps: UndoStep[]
}

/** A file that cannot be written, with the reason. */
export interface FileProblem {
  file: ConfigFile
  problem: string
}

export function isWritable(draft: FileDraft | FileProblem): draft is FileDraft {
  return !('problem' in draft)
}

export interface DraftSources {
  records: SetupRecords
  surroundings: Surroundings
}

/** Drafts each file. What an earlier setup of the same tool wrote is replaced. */
export function draftFiles(
  files: readonly ConfigFile[],
  earlier: SetupRecord | null,
  sources: DraftSources,
): (FileDraft | FileProblem)[] {
  return files.map((file) => {
    try {
      return draftFile(file, earlier, sources)
    } catch (error) {
      return { file, problem: errorMessage(error) }
    }
  })
}

function draftFile(file: ConfigFile, earlier: SetupRecord | null, sources: DraftSources): FileDraft {
  const found = findConfigFile(file, sources.surroundings)
  const current = readText(found.realPath)
  const record = earlier?.files.find(({ realPath }) => realPath === found.realPath)
  const base = record && earlier ? withoutSetup(record, earlier.tool, current, sources.records).text : current
  const { syntax, initial = {}, changes } = file
  const added = Object.entries(initial).map(([name, value]) => ({ at: [name], value }))
  const { text, steps } = applyChanges(syntax, base ?? '', base === null ? [...added, ...changes] : changes)
  // A file that only an earlier setup has written becomes empty.
  const after = syntax === 'json' && text.trim() === '' ? '{}\n' : text
  return { file, target: found, current, base, after, steps }
}

/** A file without what the setup wrote: as it was before, or if it was changed since, without our members. */
export function withoutSetup(
  record: FileRecord,
  tool: string,
  current: string | null,
  records: SetupRecords,
): { text: string | null; isOriginal: boolean; kept: string[] } {
  if (current === null) return { text: null, isOriginal: false, kept: [] }
  if (digest(current) === record.written) {
    const original = record.backup === null ? null : readText(records.backupPath(tool, record.backup))
    if (original !== null || record.backup === null) return { text: original, isOriginal: true, kept: [] }
  }
  const { text, kept } = undoChanges(record.syntax, current, record.steps)
  const content = editors[record.syntax].parse(text)
  const isEmpty = isRecord(content) && Object.keys(content).length === 0 && !/[#]|\/[/*]/.test(text)
  return { text: record.backup === null && isEmpty ? null : text, isOriginal: false, kept }
}

/** The secret that the files have in the places where the tool reads it; null if there is none. */
export function findSecret(drafts: readonly (FileDraft | FileProblem)[]): string | null {
  for (const draft of drafts) {
    if ('problem' in draft || draft.current === null) continue
    let content: unknown
    try {
      content = editors[draft.file.syntax].parse(draft.current)
    } catch (error) {
      if (error instanceof UnreadableFileError) continue
      throw error
    }
    for (const { at, value, itemBy } of draft.file.changes) {
      const there = valueAt(content, at)
      const item =
        itemBy !== undefined && isRecord(value) && Array.isArray(there)
          ? there.find((each) => isRecord(each) && each[itemBy] === value[itemBy])
          : there
      const secret = secretAt(value, item)
      if (secret !== null) return secret
    }
  }
  return null
}

/** The text of `actual` at the placeholder in `pattern`. */
function secretAt(pattern: unknown, actual: unknown): string | null {
  if (typeof pattern === 'string') {
    const [before = '', after] = pattern.split(SECRET_PLACEHOLDER)
    const isThere = after !== undefined && typeof actual === 'string' && actual.startsWith(before)
    return isThere ? actual.slice(before.length) : null
  }
  if (!isRecord(pattern)) return null
  for (const [name, inner] of Object.entries(pattern)) {
    const secret = secretAt(inner, valueAt(actual, [name]))
    if (secret !== null) return secret
  }
  return null
}
