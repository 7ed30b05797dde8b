// Owns the form of a rule's name: where the rule stands, and what it says. Test files write it, the report reads it.

const SEPARATOR = ' · '

/** A numbered section of one of the two texts. */
export type Section = `${'interface' | 'decisions'} ${string}`

export function ruleName(section: Section, text: string): string {
  return section + SEPARATOR + text
}

/** The section and the rule in a test's name; null for a test that is no rule. */
export function readRule(testName: string): { section: string; text: string } | null {
  const match = /^((?:interface|decisions) [\d.]+) · ([\s\S]+)$/.exec(testName)
  return match ? { section: match[1] ?? '', text: match[2] ?? '' } : null
}
