// The name of the project that a folder belongs to.
import { basename } from 'node:path'
import { printable } from '../../shared/values/text.ts'
import { findRepository, readRemote } from '../git/repository.ts'

const MAX_TAG = 100

/** The name of the remote repository, else of the folder that Git tracks; null outside of both. */
export function projectName(cwd: string): string | null {
  const repository = findRepository(cwd)
  if (repository === null) return null
  const remote = /([^/:\\]+?)(?:\.git)?\/?\s*$/.exec(readRemote(repository) ?? '')?.[1]
  const clean = [...printable(remote ?? basename(repository.root))].slice(0, MAX_TAG).join('')
  return clean === '' ? null : clean
}
