import { defineConfig } from 'vitest/config'
import { common, LONG_TESTS } from './vitest.config.ts'

/** The tests that take too long for `npm test`: `npm run test:long`. */
export default defineConfig({
  ...common,
  test: {
    ...common.test,
    // `npm test` runs a sample of what these do.
    include: [LONG_TESTS, 'src/gateway/request/faults.test.ts'],
    env: { TEST_LENGTH: 'long' },
    testTimeout: 120_000,
  },
})
