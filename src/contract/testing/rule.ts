import { test } from 'vitest'
import { ruleName, type Section } from './rule-name.ts'

type Run = () => Promise<void> | void
type TestRule = (text: string, run: Run, timeoutMs?: number) => void

/** A test of a rule in docs/contract.md. */
export function rule(section: Section, text: string, run: Run, timeoutMs?: number): void {
  test(ruleName(section, text), run, timeoutMs)
}

/** Several programs that start at the same time on a busy machine take longer than the usual limit. */
const SLOW_MS = 60_000

/** A rule whose test mostly waits: it runs concurrently with the other slow rules of its file. */
export function slowRule(section: Section, text: string, run: Run): void {
  test.concurrent(ruleName(section, text), run, SLOW_MS)
}

/** Declares the rules of one section of docs/contract.md. */
export const testSection =
  (section: Section): TestRule =>
  (text, run, timeoutMs) =>
    rule(section, text, run, timeoutMs)

/** Declares the slow rules of one section. */
export const testSlowSection =
  (section: Section): TestRule =>
  (text, run) =>
    slowRule(section, text, run)
