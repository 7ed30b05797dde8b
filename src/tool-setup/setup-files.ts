// The files of a setup: drafts them, writes all or none of them, and undoes them.
import { basename } from 'node:path'
import type { ConfigFile, ConfigSyntax } from '../shared/tools/tool-config.ts'
import { errorMessage } from '../shared/values/text.ts'
import { applyChanges, digest, type UndoStep, undoChanges } from './changes.ts'
import { createFolders, readText, removeEmptyFolders, replaceFile } from './config-file.ts'
import { checkTarget, findConfigFile, type Surroundings } from './config-path.ts'
import { isRecord } from './edit.ts'
import { editors } from './editors.ts'
import type { FileRecord, SetupRecord, SetupRecords } from './setup-records.ts'

/** The texts are null where there is no file. */
export interface FileDraft {
  /** As the user knows it. */
  path: string
  /** The file itself, where `path` is a symbolic link to it. */
  realPath: string
  syntax: ConfigSyntax
  current: string | null
  /** Without what an earlier setup wrote. */
  original: string | null
  after: string | null
  steps: UndoStep[]
}

/** A file that cannot be written, with the reason. */
export interface FileProblem {
  path: string
  problem: string
}

export interface SetupPlace {
  tool: string
  records: SetupRecords
  surroundings: Surroundings
}

export function isWritable(draft: FileDraft | FileProblem): draft is FileDraft {
  return !('problem' in draft)
}

/** Drafts each file. What an earlier setup of the same tool wrote is replaced, also in files that no longer have a part in it. */
export function draftFiles(
  files: readonly ConfigFile[],
  earlier: SetupRecord | null,
  place: SetupPlace,
): (FileDraft | FileProblem)[] {
  const records = earlier?.files ?? []
  const drafts = files.map((file) =>
    orProblem(`~/${file.path}`, () => {
      const { path, realPath } = findConfigFile(file, place.surroundings)
      const record = records.find((each) => each.realPath === realPath)
      return draftFile({ ...file, path, realPath }, record, place)
    }),
  )
  const paths = new Set(drafts.map((draft) => ('realPath' in draft ? draft.realPath : '')))
  const leftovers = records
    .filter(({ realPath }) => !paths.has(realPath))
    .map((record) => orProblem(record.path, () => draftFile({ ...record, changes: [] }, record, place)))
    .filter((draft) => !isWritable(draft) || draft.current !== draft.after)
  return drafts.some((draft) => 'problem' in draft) ? drafts : [...drafts, ...leftovers]
}

function orProblem(path: string, draft: () => FileDraft): FileDraft | FileProblem {
  try {
    return draft()
  } catch (error) {
    return { path, problem: errorMessage(error) }
  }
}

function draftFile(
  file: Pick<FileDraft, 'path' | 'realPath' | 'syntax'> & Pick<ConfigFile, 'changes' | 'initial'>,
  record: FileRecord | undefined,
  place: SetupPlace,
): FileDraft {
  const { path, realPath, syntax, changes, initial = {} } = file
  const current = readText(realPath)
  const original = record ? withoutSetup(record, current, place).text : current
  if (changes.length === 0) return { path, realPath, syntax, current, original, after: original, steps: [] }
  const members = Object.entries(initial).map(([name, value]) => ({ at: [name], value }))
  const all = original === null ? [...members, ...changes] : changes
  const { text, steps } = applyChanges(syntax, original ?? '', all)
  return { path, realPath, syntax, current, original, after: text, steps }
}

/** A file without what the setup wrote: as it was before, or if it was changed since, without our members. */
function withoutSetup(
  record: FileRecord,
  current: string | null,
  { tool, records }: SetupPlace,
): { text: string | null; kept: string[] } {
  if (current === null) return { text: null, kept: [] }
  if (digest(current) === record.written) {
    const original = record.backup === null ? null : readText(records.backupPath(tool, record.backup))
    if (original !== null || record.backup === null) return { text: original, kept: [] }
  }
  const { text, kept } = undoChanges(record.syntax, current, record.steps)
  const content = editors[record.syntax].parse(text)
  const isEmpty = isRecord(content) && Object.keys(content).length === 0 && !/[#]|\/[/*]/.test(text)
  return { text: record.backup === null && isEmpty ? null : text, kept }
}

/**
 * Writes every file, or none. The record of how to undo it is written first, so that a crash in between can be undone. Throws
 * FileChangedError.
 */
export function writeDrafts(
  drafts: readonly FileDraft[],
  records: SetupRecords,
  setup: Omit<SetupRecord, 'files'>,
): void {
  const earlier = records.find(setup.tool)
  const createdFolders: string[][] = []
  const written: FileDraft[] = []
  try {
    for (const { realPath } of drafts) createFolders(realPath, createdFolders)
    const files = drafts.map(({ path, realPath, syntax, original, after, steps }, index) => ({
      path,
      realPath,
      syntax,
      steps,
      written: digest(after),
      backup: original === null ? null : records.backUp(setup.tool, `${index}-${basename(path)}`, original),
      createdFolders:
        earlier?.files.find((file) => file.realPath === realPath)?.createdFolders ??
        createdFolders[index] ??
        [],
    }))
    records.put({ ...setup, files })
    for (const draft of drafts) {
      replaceFile({ path: draft.realPath, before: draft.current, after: draft.after })
      written.push(draft)
    }
  } catch (error) {
    for (const { realPath, current, after } of written) {
      replaceFile({ path: realPath, before: after, after: current })
    }
    for (const folders of createdFolders.toReversed()) removeEmptyFolders(folders)
    if (earlier) records.put(earlier)
    else records.remove(setup.tool)
    throw error
  }
}

interface UndoneFile {
  /** Settings that were changed since, and stay. */
  kept: string[]
  /** Why it was not undone; null if it was. */
  problem: string | null
}

/** Undoes each file by itself; one that fails does not stop the others. */
export function undoFiles(files: readonly FileRecord[], place: SetupPlace): UndoneFile[] {
  const { tool, records, surroundings } = place
  // The first file has the folders that were created for all.
  const undone = files.toReversed().map((file): UndoneFile => {
    try {
      checkTarget(file.realPath, surroundings)
      return { kept: undoFile(file, place), problem: null }
    } catch (error) {
      const backup = file.backup === null ? '' : ` Its backup is ${records.backupPath(tool, file.backup)}.`
      return { kept: [], problem: `${errorMessage(error)}${backup}` }
    }
  })
  return undone.reverse()
}

function undoFile(file: FileRecord, place: SetupPlace): string[] {
  const current = readText(file.realPath)
  const { text, kept } = withoutSetup(file, current, place)
  if (text !== current) replaceFile({ path: file.realPath, before: current, after: text })
  if (text === null && current !== null) removeEmptyFolders(file.createdFolders)
  return kept
}
