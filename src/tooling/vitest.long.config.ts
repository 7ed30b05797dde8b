import { mergeConfig } from 'vitest/config'
import config, { LONG_TESTS } from './vitest.config.ts'

/** The tests that take too long for `npm test`: `npm run test:long`. */
const long = mergeConfig(config, { test: { testTimeout: 120_000 } })
long.test.include = [LONG_TESTS]
long.test.exclude = []

export default long
