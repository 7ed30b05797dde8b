import { test } from 'vitest'
import { ruleName, type Section } from './rule-name.ts'

type Run = () => Promise<void> | void

/** A test of a rule in docs/contract.md. */
export function rule(section: Section, text: string, run: Run, timeoutMs?: number): void {
  test(ruleName(section, text), run, timeoutMs)
}

/** A rule whose test mostly waits: it runs concurrently with the other slow rules of its file. */
export function slowRule(section: Section, text: string, run: Run): void {
  test.concurrent(ruleName(section, text), run)
}
