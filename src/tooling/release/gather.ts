// `node src/tooling/release/gather.ts FROM TO`: the files of a release in one folder, and its notes in `notes.md`.
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { appVersion } from '../../host/files.ts'
import { root } from '../commands.ts'
import { readChangelog, readSection } from './check-version.ts'

/**
 * Copies all files below `from` into one folder, and returns their names.
 * Two files of the same name are an error: one of them would be missing from the release.
 */
export function gatherFiles(from: string, to: string): string[] {
  mkdirSync(to, { recursive: true })
  const paths = readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort((a, b) => (basename(a) < basename(b) ? -1 : 1))
  const names = paths.map((path) => basename(path))
  const repeated = names.find((name, index) => name === names[index + 1])
  if (repeated !== undefined) throw new Error(`Two of the packages are named ${repeated}.`)
  if (names.length === 0) throw new Error(`There are no packages in ${from}.`)
  for (const path of paths) copyFileSync(path, join(to, basename(path)))
  return names
}

if (import.meta.main) {
  const [from, to] = process.argv.slice(2)
  if (from === undefined || to === undefined) throw new Error('Give the folder to read and the one to write.')
  for (const name of gatherFiles(from, to)) console.log(name)
  writeFileSync(join(root, 'notes.md'), `${readSection(readChangelog(), appVersion()) ?? ''}\n`)
}
