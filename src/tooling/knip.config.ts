import type { KnipConfig } from 'knip'

/** `npm run check` reports files, exports and packages that none of these entries reaches. */
const config: KnipConfig = {
  entry: [
    // Programs that are started by path: worker threads, child processes of tests and benchmarks, scripts of other tools.
    'src/{gateway,host,features}/**/*-worker.ts',
    'src/gateway/store/testing/*-process.ts',
    'src/host/testing/keyring-child.ts',
    'src/tooling/{imports,check-prose,progress-reporter}.ts',
    'src/tooling/tools/run.ts',
    'src/tooling/release/{check-version,gather}.ts',
    'src/tooling/vitest.long.config.ts',
    'src/tooling/bench/{count-hook,proxy,upstream}.ts',
    'src/renderer/index.html',
    // The module that the window imports as `zod`.
    'src/renderer/kit/zod-csp.ts',
  ],
  project: ['src/**/*.{ts,tsx,css}', 'e2e/**/*.ts', '*.ts'],
  playwright: { config: 'e2e/playwright.config.ts' },
  // Linux commands that scripts and tests run.
  ignoreBinaries: [
    'apt-cache',
    'cc',
    'dpkg-query',
    'mkfifo',
    'openssl',
    'systemd-analyze',
    'prometheus',
    'promtool',
    'xwininfo',
  ],
  ignoreDependencies: [
    // Run by `npm run check` through `packageScript`.
    '@biomejs/biome',
  ],
}

export default config
