import { defineConfig } from 'vitest/config'
import { SOURCE_FLAGS } from '../gateway/testing/source-flags.ts'
import { startBuiltThreads } from './built-threads.ts'
import { PROGRAM_DIR } from './program-for-tests.ts'
import { common, LONG_TESTS } from './vitest.config.ts'

/** The tests that take too long for `npm test`: `npm run test:long`. */
export default defineConfig({
  ...common,
  plugins: [startBuiltThreads(PROGRAM_DIR)],
  test: {
    ...common.test,
    execArgv: [...SOURCE_FLAGS],
    globalSetup: ['src/tooling/program-for-tests.ts'],
    include: [LONG_TESTS],
    testTimeout: 120_000,
  },
})
