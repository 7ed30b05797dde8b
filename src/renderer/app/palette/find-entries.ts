import { type Entry, GROUPS, type Group } from './entry.ts'
import { type SearchIndex, search } from './rank.ts'

/** A text that is in several groups most likely means the record itself, not a request or a chat of it. */
const WEIGHTS: Partial<Record<Group, number>> = {
  Keys: 1.02,
  Tools: 0.9,
  Help: 0.9,
  Chats: 0.7,
  Requests: 0.5,
}

/** The number of entries of each group; more letters find the rest. */
const MOST = 6

export interface EntryGroup {
  name: Group
  entries: readonly Entry[]
}

/** The entries that match, in groups: that with the best match first. Without a text, those that are shown first. */
export function findEntries(index: SearchIndex<Entry>, text: string): EntryGroup[] {
  if (text === '') {
    const first = index.map(({ entry }) => entry).filter(({ isShownFirst }) => isShownFirst)
    return GROUPS.map((name) => ({ name, entries: first.filter(({ group }) => group === name) })).filter(
      ({ entries }) => entries.length > 0,
    )
  }
  const groups = new Map<Group, { best: number; entries: Entry[] }>()
  for (const { entry, score } of search(index, text)) {
    const group = groups.get(entry.group)
    if (group === undefined) {
      groups.set(entry.group, { best: score * (WEIGHTS[entry.group] ?? 1), entries: [entry] })
    } else if (group.entries.length < MOST) {
      group.entries.push(entry)
    }
  }
  return [...groups].sort(([, a], [, b]) => b.best - a.best).map(([name, { entries }]) => ({ name, entries }))
}
