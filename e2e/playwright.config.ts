import { defineConfig } from '@playwright/test'

// One worker: the tests share a display and a keyring. No retries: a flaky test is a defect.
export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  workers: 1,
  retries: 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  use: { locale: 'en-GB' },
  reporter: [['list'], ['json']],
  projects: [
    { name: 'e2e', testIgnore: ['screenshots/**', 'bench/**', 'long/**'] },
    { name: 'long', testMatch: 'long/*.spec.ts', timeout: 120_000 },
    { name: 'screenshots', testMatch: 'screenshots/*.spec.ts', timeout: 900_000 },
    { name: 'bench', testMatch: 'bench/*.spec.ts', timeout: 900_000 },
  ],
})
