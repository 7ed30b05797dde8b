import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Snippet } from '../../renderer/parts/snippets/snippet.ts'

interface Place {
  home: string
  project: string
}

/** Writes the instructions' files to the paths in their titles: in the home folder or in the project. */
export function writeFiles({ blocks }: Snippet, { home, project }: Place): void {
  for (const { title, code } of blocks) {
    const [, inHome] = /^~\/(\S+)$/.exec(title) ?? []
    const inProject = /^[\w-]+\.\w+$/.test(title) ? title : undefined
    const path = inHome !== undefined ? join(home, inHome) : inProject && join(project, inProject)
    if (!path) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${code}\n`)
  }
}

/**
 * The instructions' commands and then the question, as one shell script. A last line that is only the program's name would
 * start an interactive session, so the question replaces it.
 */
export function createScript({ blocks }: Snippet, ask: readonly string[] | null): string {
  const lines = blocks.filter(({ title }) => title === 'Terminal').flatMap(({ code }) => code.split('\n'))
  if (ask === null) return lines.join('\n')
  const question = ask.map(quote).join(' ')
  return [...(lines.at(-1) === ask[0] ? lines.slice(0, -1) : lines), question].join('\n')
}

export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
