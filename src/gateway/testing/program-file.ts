import { join } from 'node:path'

/** The program that tests start: under vitest built from the sources, as it starts in half the time then. */
export const PROGRAM_FILE = process.env.TOLLGATE_TEST_PROGRAM ?? join(import.meta.dirname, '../../cli/cli.ts')
