import { basename } from 'node:path'
import { digest } from './changes.ts'
import { createFolders, removeEmptyFolders, replaceFile } from './config-file.ts'
import type { FileDraft } from './draft-files.ts'
import type { SetupRecord, SetupRecords } from './setup-records.ts'

/** Writes every file, or none. The record of how to undo it is written first, so that a crash in between can be undone. */
export function writeDrafts(
  drafts: readonly FileDraft[],
  records: SetupRecords,
  setup: Pick<SetupRecord, 'tool' | 'model' | 'keyId' | 'keyCreated' | 'mcp'>,
): void {
  const earlier = records.find(setup.tool)
  const createdFolders = drafts.map(({ found }) => createFolders(found.realPath))
  const written: FileDraft[] = []
  try {
    records.put({
      ...setup,
      at: new Date().toISOString(),
      files: drafts.map(({ file, found, base, after, steps }, index) => ({
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
      replaceFile({ path: draft.found.realPath, before: draft.current, after: draft.after })
      written.push(draft)
    }
  } catch (error) {
    for (const { found, current, after } of written) {
      replaceFile({ path: found.realPath, before: after, after: current })
    }
    for (const folders of createdFolders.toReversed()) removeEmptyFolders(folders)
    if (earlier) records.put(earlier)
    else records.remove(setup.tool)
    throw error
  }
}
