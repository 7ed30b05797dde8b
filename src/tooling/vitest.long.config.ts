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
    // `npm test` runs a sample of what these do.
    include: [LONG_TESTS, 'src/gateway/request/faults.test.ts'],
    env: { TEST_LENGTH: 'long' },
    testTimeout: 120_000,
  },
})
