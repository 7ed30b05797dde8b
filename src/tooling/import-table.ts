/** The modules that the files of one folder may import, besides each other. */
export interface ImportRow {
  /** Rows above this one, or single files of them. */
  folders: readonly string[]
  /** npm packages, with all their subpaths. None if absent. */
  packages?: readonly string[]
  /** Node's own modules: all of them, or those named. None if absent. */
  node?: true | readonly string[]
}

/**
 * The folders of `src`, lowest first: a row imports only rows above it, so there is one direction and no cycle.
 * A folder with rows inside (`gateway`) covers only its direct files. `npm run check` enforces the table, and a test
 * compares it with the diagram in docs/architecture.md.
 */
export const importTable = {
  shared: { folders: [], packages: ['diff', 'zod'] },

  'gateway/platform': { folders: ['shared'], node: true },
  'gateway/store': {
    folders: ['shared', 'gateway/platform'],
    packages: ['better-sqlite3'],
    node: true,
  },
  'gateway/settings': { folders: ['shared', 'gateway/platform', 'gateway/store'] },
  'gateway/keys': { folders: ['shared', 'gateway/platform', 'gateway/store'] },
  'gateway/sessions': { folders: ['shared', 'gateway/platform', 'gateway/store'], node: true },
  'gateway/formats': {
    folders: ['shared', 'gateway/platform'],
    packages: ['@smithy/eventstream-codec', 'eventsource-parser'],
  },
  'gateway/spend': {
    folders: [
      'shared',
      'gateway/platform',
      'gateway/store',
      'gateway/settings',
      'gateway/keys',
      'gateway/sessions',
    ],
    packages: ['zod'],
    node: true,
  },
  'gateway/sandbox': { folders: ['shared', 'gateway/platform', 'gateway/formats'], node: true },
  'gateway/upstream': {
    folders: ['shared', 'gateway/platform', 'gateway/formats', 'gateway/sandbox'],
    packages: [
      '@aws-crypto/sha256-js',
      '@aws-sdk/credential-provider-node',
      '@smithy/signature-v4',
      'google-auth-library',
      'undici',
      'ws',
    ],
    node: true,
  },
  'gateway/models': {
    folders: [
      'shared',
      'gateway/platform',
      'gateway/store',
      'gateway/formats',
      'gateway/spend',
      'gateway/sandbox',
      'gateway/upstream',
    ],
    packages: ['@pydantic/genai-prices', 'gpt-tokenizer', 'zod'],
    node: true,
  },
  'gateway/idempotency': {
    folders: ['shared', 'gateway/platform', 'gateway/store'],
    packages: ['zod'],
    node: true,
  },
  'gateway/observe': {
    folders: [
      'shared',
      'gateway/platform',
      'gateway/store',
      'gateway/formats',
      'gateway/upstream',
      'gateway/models',
      'gateway/settings',
      'gateway/keys',
      'gateway/spend',
      'gateway/sandbox',
      'gateway/sessions',
    ],
    packages: ['zod'],
    node: true,
  },
  'gateway/request': {
    folders: [
      'shared',
      'gateway/platform',
      'gateway/store',
      'gateway/settings',
      'gateway/keys',
      'gateway/sessions',
      'gateway/spend',
      'gateway/formats',
      'gateway/models',
      'gateway/upstream',
      'gateway/observe',
      'gateway/idempotency',
    ],
    packages: ['zod'],
    node: true,
  },
  'gateway/maintenance': {
    folders: [
      'shared',
      'gateway/platform',
      'gateway/store',
      'gateway/settings',
      'gateway/sessions',
      'gateway/idempotency',
    ],
  },
  'gateway/http': {
    folders: [
      'shared',
      'gateway/platform',
      'gateway/store',
      'gateway/settings',
      'gateway/keys',
      'gateway/formats',
      'gateway/upstream',
      'gateway/idempotency',
      'gateway/observe',
      'gateway/request',
    ],
    packages: ['ws', 'zod'],
    node: true,
  },
  'gateway/features': {
    folders: [
      'shared',
      'gateway/platform',
      'gateway/store',
      'gateway/settings',
      'gateway/keys',
      'gateway/formats',
      'gateway/models',
      'gateway/upstream',
      'gateway/observe',
      'gateway/spend',
      'gateway/sandbox',
      'gateway/sessions',
      'gateway/idempotency',
      'gateway/request',
      'gateway/http',
    ],
    packages: ['@opentelemetry', 'csv-parse', 'prom-client', 'zod'],
    node: true,
  },
  'gateway/operations': {
    folders: [
      'shared',
      'gateway/platform',
      'gateway/store',
      'gateway/settings',
      'gateway/keys',
      'gateway/sessions',
      'gateway/formats',
      'gateway/spend',
      'gateway/upstream',
      'gateway/models',
      'gateway/observe',
      'gateway/idempotency',
      'gateway/request',
      'gateway/features',
      'gateway/maintenance',
      'gateway/http',
    ],
    packages: ['zod'],
    node: true,
  },
  'gateway/compose': {
    folders: [
      'shared',
      'gateway/platform',
      'gateway/store',
      'gateway/settings',
      'gateway/keys',
      'gateway/sessions',
      'gateway/spend',
      'gateway/formats',
      'gateway/models',
      'gateway/upstream',
      'gateway/observe',
      'gateway/idempotency',
      'gateway/request',
      'gateway/features',
      'gateway/maintenance',
      'gateway/http',
      'gateway/operations',
    ],
    node: true,
  },

  'gateway/testing': { folders: ['shared', 'gateway/compose'] },

  // The next three rows see three files of the gateway, all in compose. One that runs it as well would make each command load all
  // of it, and one with the work on a data folder would make each command load the database.
  host: {
    folders: ['shared', 'gateway/compose'],
    packages: [
      '@github/keytar',
      'birpc',
      'eventsource-parser',
      'pino',
      'rotating-file-stream',
      'yaml',
      'zod',
    ],
    node: true,
  },
  'tool-setup': {
    folders: ['shared', 'gateway/compose/host-api.ts', 'host'],
    packages: ['@decimalturn/toml-patch', 'jsonc-parser', 'yaml', 'zod'],
    node: true,
  },
  cli: {
    folders: [
      'shared',
      'gateway/compose/host-api.ts',
      'gateway/compose/offline-api.ts',
      'host',
      'tool-setup',
    ],
    packages: ['@modelcontextprotocol/server', 'commander', 'zod'],
    node: true,
  },
  main: {
    folders: ['shared', 'host', 'tool-setup', 'cli/program.ts', 'cli/doctor/examine.ts'],
    packages: ['electron', 'electron-updater', 'zod'],
    node: true,
  },
  preload: { folders: ['shared/desktop/desktop-calls.ts'], packages: ['electron'] },
  renderer: {
    folders: ['shared'],
    packages: [
      '@streamdown/math',
      '@tanstack/react-query',
      '@tanstack/react-virtual',
      'cmdk',
      'eventsource-parser',
      'katex',
      'lucide-react',
      'radix-ui',
      'react',
      'react-day-picker',
      'react-dom',
      'react-resizable-panels',
      'shiki',
      '@lobehub/icons-static-svg',
      'sonner',
      'streamdown',
      'tailwindcss',
      'wouter',
      'zod',
      'zustand',
    ],
  },
} as const satisfies Record<string, ImportRow>

/** Scripts and the tests of the running program are not part of the app: nothing of it may import them. */
export const unrestrictedFolders = ['src/contract', 'src/tooling', 'e2e']

/** The packages that tests and `testing` folders may import on top of their row. */
export const testPackages = [
  '@ai-sdk/anthropic',
  '@anthropic-ai/sdk',
  '@copilotkit/aimock',
  '@decimalturn/toml-patch',
  '@google/genai',
  '@testing-library',
  'ai',
  'fast-check',
  'js-yaml',
  'openai',
  'undici',
  'vitest',
  'zod',
]

/**
 * The folders inside a row, lowest first: each imports only folders before it, and none of the files next to the folders,
 * which may import all.
 */
export const folderOrders: Readonly<Record<string, readonly string[]>> = {
  shared: ['values', 'formats', 'api', 'money', 'tools', 'desktop', 'limits'],
  'gateway/formats': [
    'json',
    'chat',
    'framing',
    'openai-chat',
    'openai-responses',
    'anthropic-messages',
    'gemini-generate',
    'pass-through',
    'hosted',
  ],
  'gateway/models': ['tokens', 'providers', 'catalog'],
  renderer: ['kit', 'data', 'parts', 'features', 'app'],
}

/** Folders whose folders import nothing of each other. */
export const separateFolders = ['renderer/features', 'gateway/features']
