// Vitest's setup file.
import fc from 'fast-check'
import { vi } from 'vitest'

const FIXED_SEED = 1

// Property tests draw the same values in each run, so that a change fails them and luck does not. `npm run fuzz -- properties`
// draws others.
fc.configureGlobal({ seed: Number(process.env.TOLLGATE_TEST_SEED ?? FIXED_SEED) })

/** The timeout of `expect.poll`, too. Vitest's default of one second is too short on a busy machine, and has no setting. */
const WAIT_MS = 15_000
const { waitFor } = vi
vi.waitFor = (condition, options = WAIT_MS) => waitFor(condition, options)
