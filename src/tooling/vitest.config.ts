import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { SOURCE_FLAGS } from '../gateway/testing/source-flags.ts'

/**
 * Most of these start a whole gateway. They share a process, which loads the modules once: that is a quarter of their time
 * otherwise. Those that replace modules, or depend on the state of their process, have one of their own.
 */
const HTTP_TESTS = ['src/contract/**/*.test.ts', 'src/gateway/**/*.test.ts']
const OWN_PROCESS = [
  'src/gateway/store/**/*.test.ts',
  'src/gateway/close.test.ts',
  'src/gateway/inference/opening.test.ts',
]

export const LONG_TESTS = 'src/**/*.long.test.{ts,tsx}'

export const common = {
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    // Child processes and worker threads of the gateway run the sources as they are, under Node's own type stripping.
    pool: 'forks',
    // One worker per core: the default leaves one core idle, though many tests mostly wait.
    maxWorkers: '100%',
    testTimeout: 20_000,
    // The default of one second is too short for a condition on a busy machine.
    expect: { poll: { timeout: 15_000 } },
  },
} as const

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    execArgv: [...SOURCE_FLAGS],
    projects: [
      {
        extends: true,
        test: { name: 'http', include: HTTP_TESTS, exclude: [LONG_TESTS, ...OWN_PROCESS], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'isolated',
          include: ['src/!(contract|gateway)/**/*.test.{ts,tsx}', ...OWN_PROCESS],
          exclude: [LONG_TESTS],
        },
      },
    ],
  },
})
