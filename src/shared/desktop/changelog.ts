/** A section of CHANGELOG.md. */
export interface Release {
  /** `Unreleased` or the version. */
  version: string
  /** The day in the heading; null without one. */
  date: string | null
  /** Markdown, without the heading. */
  notes: string
}

const HEADING = /^## \[?(?<version>[^\s\]]+)\]?(?:\s+[-–(]\s*(?<date>\d{4}-\d{2}-\d{2})\)?)?\s*$/

/** The sections of a changelog, newest first as they are in it. */
export function parseChangelog(text: string): Release[] {
  const releases: Release[] = []
  let lines: string[] = []
  let current: Omit<Release, 'notes'> | null = null
  const finish = () => {
    if (current) releases.push({ ...current, notes: lines.join('\n').trim() })
    lines = []
  }
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    const found = HEADING.exec(line)?.groups
    if (found?.version) {
      finish()
      current = { version: found.version, date: found.date ?? null }
    } else {
      lines.push(line)
    }
  }
  finish()
  return releases
}

/** The news of a version: its own section, or `Unreleased` as long as it has none. Null if there are none. */
export function findNotes(text: string, version: string): string | null {
  const releases = parseChangelog(text)
  const found =
    releases.find((release) => release.version === version) ??
    releases.find((release) => release.version === 'Unreleased')
  return found?.notes || null
}
