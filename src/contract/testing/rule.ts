// Owns how a rule of the contract is written down as a test. The report reads the names of these tests back.
import { test } from 'vitest'

/** A numbered section of one of the two texts. */
export type Section = `${'interface' | 'decisions'} ${string}`

const SEPARATOR = ' · '

/** A test of one rule; its name says where the rule stands and what it is. */
export function rule(
  section: Section,
  text: string,
  run: () => Promise<void> | void,
  timeoutMs?: number,
): void {
  test(`${section}${SEPARATOR}${text}`, run, timeoutMs)
}

/** The section and the rule in a test's name; null for a test that is no rule. */
export function readRule(testName: string): { section: string; text: string } | null {
  const match = /^((?:interface|decisions) [\d.]+) · ([\s\S]+)$/.exec(testName)
  return match ? { section: match[1] ?? '', text: match[2] ?? '' } : null
}
