// Vitest's setup file. Property tests draw the same values in each run, so that a change fails them and luck does not.
// `npm run fuzz -- properties` draws others.
import fc from 'fast-check'

const FIXED_SEED = 1

fc.configureGlobal({ seed: Number(process.env.TOLLGATE_TEST_SEED ?? FIXED_SEED) })
