import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { SOURCE_FLAGS } from '../gateway/testing/source-flags.ts'

export const LONG_TESTS = 'src/**/*.long.test.{ts,tsx}'

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['src/**/*.test.{ts,tsx}'],
    exclude: [LONG_TESTS],
    // Child processes and worker threads of the gateway run the sources as they are, under Node's own type stripping.
    pool: 'forks',
    // One worker per core: the default leaves one core idle, though many tests mostly wait.
    maxWorkers: '100%',
    execArgv: [...SOURCE_FLAGS],
    testTimeout: 20_000,
    // The default of one second is too short for a condition on a busy machine.
    expect: { poll: { timeout: 15_000 } },
  },
})
