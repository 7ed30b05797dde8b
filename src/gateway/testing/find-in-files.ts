import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files below the folder whose bytes contain one of the texts. Throws if there are no files. */
export function findInFiles(dir: string, ...texts: readonly string[]): string[] {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  if (files.length === 0) throw new Error(`There is no file in ${dir}.`)
  return files.filter((path) => {
    const bytes = readFileSync(path)
    return texts.some((text) => bytes.includes(text))
  })
}
