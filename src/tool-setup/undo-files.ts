import type { UndoOutcome } from '../shared/tools/tool-setup.ts'
import { errorMessage } from '../shared/values/text.ts'
import { readText, removeEmptyFolders, replaceFile } from './config-file.ts'
import { checkTarget, type Surroundings } from './config-path.ts'
import { withoutSetup } from './draft-files.ts'
import type { FileRecord, SetupRecord, SetupRecords } from './setup-records.ts'

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
