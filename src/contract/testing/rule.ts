// Owns how a rule of the contract is written down as a test.
import { test } from 'vitest'
import { ruleName, type Section } from './rule-name.ts'

type Run = () => Promise<void> | void

/** A test of one rule; its name says where the rule stands and what it is. */
export function rule(section: Section, text: string, run: Run, timeoutMs?: number): void {
  test(ruleName(section, text), run, timeoutMs)
}

/** A rule whose test waits more than it works: it runs beside the others of its file that are written so. */
export function slowRule(section: Section, text: string, run: Run): void {
  test.concurrent(ruleName(section, text), run)
}
