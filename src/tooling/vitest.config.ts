import { fileURLToPath } from 'node:url'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { SOURCE_FLAGS } from '../gateway/testing/source-flags.ts'
import { startBuiltThreads } from './built-threads.ts'
import { PROGRAM_DIR } from './program-for-tests.ts'

/**
 * Tests share a process per core, which loads the modules once: loading them again takes most of a short test's time. Tests
 * that replace modules, or depend on the state of their process, have a separate one.
 */
const OWN_PROCESS = [
  'src/gateway/compose/close.test.ts',
  'src/gateway/request/{failing-writes,opening,settling}.test.ts',
  'src/features/history/gateway/readers/database-copy.test.ts',
  'src/gateway/testing/simulation/holes.test.ts',
  'src/host/thread/gateway-thread.test.ts',
  'src/main/notifications.test.ts',
]

const SETUP_FILES = ['src/tooling/test-setup.ts']
export const LONG_TESTS = 'src/**/*.long.test.{ts,tsx}'

export const common = {
  root: fileURLToPath(new URL('../..', import.meta.url)),
  plugins: [startBuiltThreads(PROGRAM_DIR)],
  test: {
    pool: 'forks' as const,
    setupFiles: SETUP_FILES,
    execArgv: [...SOURCE_FLAGS],
    globalSetup: ['src/tooling/program-for-tests.ts'],
    // Within `tollgate run`, the program refuses some commands.
    env: { TOLLGATE_RUN_KEY: '' },
    // More workers than cores, because many tests mostly wait for another process or a timer.
    maxWorkers: '150%',
    // Ends a test that hangs. A test may take long on a machine that does other work as well.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The default of one second is too short for a condition on a busy machine.
    expect: { poll: { timeout: 15_000 } },
  },
} satisfies ViteUserConfig

export default defineConfig({
  ...common,
  test: {
    ...common.test,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['src/**/*.test.ts'],
          exclude: [LONG_TESTS, ...OWN_PROCESS],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'components',
          include: ['src/{renderer,features/*/view}/**/*.test.tsx'],
          environment: fileURLToPath(new URL('../renderer/testing/page.ts', import.meta.url)),
          setupFiles: [...SETUP_FILES, 'src/renderer/testing/setup.ts'],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: OWN_PROCESS, exclude: [LONG_TESTS] } },
    ],
  },
})
