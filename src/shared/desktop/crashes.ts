// Reports of crashes. They stay on this computer.
import { z } from 'zod'

export const CrashReport = z.object({
  /** Its file name without `.json`. */
  id: z.string(),
  at: z.string(),
  kind: z.enum(['error', 'gateway', 'stopped', 'native', 'window', 'process']),
  /** The event, as a sentence. */
  summary: z.string(),
  /** Names of errors, and the functions that ran. No text of a request can be in it. */
  details: z.string(),
  program: z.enum(['desktop', 'serve']),
  version: z.string(),
  /** The versions of Electron, Node.js and the system. */
  runtime: z.string(),
  /** How long the program had run. */
  uptimeSeconds: z.number(),
  /** Whether the user has seen it. */
  seen: z.boolean(),
})
export type CrashReport = z.infer<typeof CrashReport>

/** A report as text, to be read and copied. */
export function formatCrash(report: CrashReport): string {
  const { at, summary, program, version, runtime, uptimeSeconds, details } = report
  const head = [
    summary,
    `when: ${at}, after ${uptimeSeconds} s`,
    `Tollgate ${version} (${program === 'desktop' ? 'desktop app' : 'tollgate serve'}), ${runtime}`,
  ]
  return [...head, ...(details === '' ? [] : ['', details])].join('\n')
}
