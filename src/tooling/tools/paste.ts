// Owns following one of Connect's texts to the letter: its files are written where they say, its commands are run.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Snippet } from '../../renderer/snippets/snippet.ts'

interface Place {
  home: string
  project: string
}

/** Writes the text's files, each at the path that is its title: in the home folder, or in the project. */
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
 * The text's commands as one shell script, and then the question. A last line that is only the program's name would
 * begin a conversation on the screen: the question takes its place.
 */
export function scriptOf({ blocks }: Snippet, ask: readonly string[] | null): string {
  const lines = blocks.filter(({ title }) => title === 'Terminal').flatMap(({ code }) => code.split('\n'))
  if (ask === null) return lines.join('\n')
  const question = ask.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  return [...(lines.at(-1) === ask[0] ? lines.slice(0, -1) : lines), question].join('\n')
}
