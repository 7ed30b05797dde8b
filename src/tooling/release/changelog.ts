/** The text below the heading of a version in the changelog; null if it has none. */
export function readSection(changelog: string, version: string): string | null {
  const sections = changelog.split(/^## /m)
  const section = sections.find((text) => headingOf(text).split(' ')[0] === version)
  if (section === undefined) return null
  return section.slice(headingOf(section).length).trim() || null
}

function headingOf(section: string): string {
  return section.split('\n', 1)[0] ?? ''
}

/** Why this tag must not be released; null if it may. */
export function findMismatch(tag: string, version: string, changelog: string): string | null {
  if (tag !== `v${version}`) return `The tag is ${tag}, but package.json has the version ${version}.`
  if (readSection(changelog, version) === null) return `CHANGELOG.md has no section for ${version}.`
  if (readSection(changelog, 'Unreleased') !== null)
    return 'CHANGELOG.md still lists changes under “Unreleased”.'
  return null
}
