import { defineConfig } from '@playwright/test'

// A worker has a display, a keyring and a home folder of its own, which its tests share.
const sessions: Record<string, string>[] = JSON.parse(process.env.TOLLGATE_TEST_SESSIONS ?? '[]')
Object.assign(process.env, sessions[Number(process.env.TEST_PARALLEL_INDEX)])

// No retries: a flaky test is a defect.
export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  retries: 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  use: { locale: 'en-GB' },
  reporter: [['list'], ['json']],
  projects: [
    { name: 'e2e', testIgnore: ['screenshots/**', 'bench/**', 'long/**'] },
    { name: 'long', testMatch: 'long/*.spec.ts', timeout: 300_000 },
    { name: 'screenshots', testMatch: 'screenshots/*.spec.ts', timeout: 900_000 },
    { name: 'bench', testMatch: 'bench/*.spec.ts', timeout: 900_000 },
  ],
})
