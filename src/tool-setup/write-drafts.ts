import { basename } from 'node:path'
import type { UndoOutcome } from '../shared/tools/tool-setup.ts'
import { errorMessage } from '../shared/values/text.ts'
import { digest } from './changes.ts'
import { createFolders, readText, removeEmptyFolders, replaceFile } from './config-file.ts'
import { checkTarget, type Surroundings } from './config-path.ts'
import { type FileDraft, withoutSetup } from './draft-files.ts'
import type { FileRecord, SetupRecord, SetupRecords } from './setup-records.ts'

/** Writes every file, or none. The record of how to undo it is written first, so that a crash in between can be undone. */
export function writeDrafts(
  drafts: readonly FileDraft[],
  records: SetupRecords,
  setup: Pick<SetupRecord, 'tool' | 'model' | 'keyId' | 'keyCreated' | 'mcp' | 'git'>,
): void {
  const earlier = records.find(setup.tool)
  const createdFolders: string[][] = []
  const written: FileDraft[] = []
  try {
    for (const { target: found } of drafts) createFolders(found.realPath, createdFolders)
    records.put({
      ...setup,
      at: new Date().toISOString(),
      files: drafts.map(({ file, target: found, base, after, steps }, index) => ({
        path: found.path,
        realPath: found.realPath,
        syntax: file.syntax,
        steps,
        written: digest(after),
        backup: base === null ? null : records.backUp(setup.tool, `${index}-${basename(found.path)}`, base),
        createdFolders:
          earlier?.files.find(({ realPath }) => realPath === found.realPath)?.createdFolders ??
          createdFolders[index] ??
          [],
      })),
    })
    for (const draft of drafts) {
      replaceFile({ path: draft.target.realPath, before: draft.current, after: draft.after })
      written.push(draft)
    }
  } catch (error) {
    for (const { target: found, current, after } of written) {
      replaceFile({ path: found.realPath, before: after, after: current })
    }
    for (const folders of createdFolders.toReversed()) removeEmptyFolders(folders)
    if (earlier) records.put(earlier)
    else records.remove(setup.tool)
    throw error
  }
}

type FileOutcome = UndoOutcome['files'][number]

/** Undoes each file on its own; one that fails does not stop the others. */
export function undoFiles(
  { tool, files }: SetupRecord,
  records: SetupRecords,
  surroundings: Surroundings,
): FileOutcome[] {
  // The first file has the folders that were created for all.
  const outcomes = files.toReversed().map((file): FileOutcome => {
    try {
      checkTarget(file.realPath, surroundings)
      return { path: file.path, problem: null, ...undoFile(file, tool, records) }
    } catch (error) {
      const kept = file.backup === null ? '' : ` Its backup is ${records.backupPath(tool, file.backup)}.`
      return { path: file.path, outcome: 'failed', kept: [], problem: `${errorMessage(error)}${kept}` }
    }
  })
  return outcomes.reverse()
}

function undoFile(
  file: FileRecord,
  tool: string,
  records: SetupRecords,
): Pick<FileOutcome, 'outcome' | 'kept'> {
  const current = readText(file.realPath)
  if (current === null) return { outcome: 'missing', kept: [] }
  const { text, isOriginal, kept } = withoutSetup(file, tool, current, records)
  if (text !== current) replaceFile({ path: file.realPath, before: current, after: text })
  if (text !== null) return { outcome: isOriginal ? 'restored' : 'edited', kept }
  removeEmptyFolders(file.createdFolders)
  return { outcome: 'removed', kept }
}
