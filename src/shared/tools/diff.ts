// Differences of texts and lists.
import { diffArrays, structuredPatch } from 'diff'
import type { DiffLine } from './tool-setup.ts'

/** The changed lines with three lines around them. */
export function diffLines(before: string, after: string): DiffLine[] {
  const kinds = { '+': 'added', '-': 'removed', ' ': 'same' } as const
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: 3 })
  return hunks.flatMap(({ lines, oldStart }, index) => [
    ...(index > 0 || oldStart > 1 ? [{ kind: 'gap' as const, text: '' }] : []),
    ...lines
      .filter((line) => !line.startsWith('\\'))
      .map((line) => ({
        kind: kinds[line[0] === '+' ? '+' : line[0] === '-' ? '-' : ' '],
        text: line.slice(1),
      })),
  ])
}

/** Two entries of lists next to each other; null where a list has none. */
export interface Pair<T> {
  before: T | null
  after: T | null
  same: boolean
}

/**
 * The entries of both lists in order; an equal one is that of `after`. Entries between two equal ones are paired by their
 * positions.
 */
export function alignLists<T>(
  before: readonly T[],
  after: readonly T[],
  isSame: (a: T, b: T) => boolean,
): Pair<T>[] {
  const pairs: Pair<T>[] = []
  let gone: readonly T[] = []
  const pair = (added: readonly T[]) => {
    for (let index = 0; index < Math.max(gone.length, added.length); index++)
      pairs.push({ before: gone[index] ?? null, after: added[index] ?? null, same: false })
    gone = []
  }
  for (const part of diffArrays([...before], [...after], { comparator: isSame })) {
    if (part.removed) gone = part.value
    else if (part.added) pair(part.value)
    else {
      pair([])
      for (const entry of part.value) pairs.push({ before: entry, after: entry, same: true })
    }
  }
  pair([])
  return pairs
}
