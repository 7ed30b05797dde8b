const windowPackages = [
  ...['@streamdown/math', '@tanstack/react-query', '@tanstack/react-virtual', 'cmdk'],
  ...['eventsource-parser', 'katex', 'lucide-react', 'radix-ui', 'react', 'react-day-picker'],
  ...['react-dom', 'shiki', '@lobehub/icons-static-svg', 'sonner', 'streamdown', 'tailwindcss'],
  ...['wouter', 'zod', 'zustand'],
]

/** The npm packages, with all their subpaths, that the files of a folder may import; tests may import `testPackages`, too. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  shared: ['diff', 'zod'],
  'gateway/store': ['better-sqlite3'],
  'gateway/formats': ['@smithy/eventstream-codec', 'eventsource-parser'],
  'gateway/spend': ['zod'],
  'gateway/upstream': [
    '@aws-crypto/sha256-js',
    '@aws-sdk/credential-provider-node',
    '@smithy/signature-v4',
    'google-auth-library',
    'undici',
    'ws',
  ],
  'gateway/models': ['@pydantic/genai-prices', 'gpt-tokenizer', 'zod'],
  'gateway/idempotency': ['zod'],
  'gateway/observe': ['zod'],
  'gateway/request': ['zod'],
  'gateway/http': ['ws', 'zod'],
  'features/api': ['zod'],
  'features/cli': ['@modelcontextprotocol/server', 'commander', 'zod'],
  'features/gateway': ['@opentelemetry', 'better-sqlite3', 'csv-parse', 'pbf', 'prom-client', 'zod'],
  'gateway/operations': ['zod'],
  host: ['@github/keytar', 'birpc', 'eventsource-parser', 'pino', 'rotating-file-stream', 'yaml', 'zod'],
  'tool-setup': ['@decimalturn/toml-patch', 'jsonc-parser', 'yaml', 'zod'],
  cli: ['@modelcontextprotocol/server', 'commander', 'cross-spawn', 'zod'],
  main: ['electron', 'electron-updater', 'zod'],
  preload: ['electron'],
  renderer: windowPackages,
  'features/view': windowPackages,
}

/** The folders that import none of Node's own modules. */
export const withoutNode: readonly string[] = [
  ...['shared', 'gateway/settings', 'gateway/keys', 'gateway/formats', 'gateway/maintenance'],
  ...['features/api', 'features/view', 'preload', 'renderer'],
]

/** Scripts and the tests of the running program are not part of the app: nothing of it may import them. */
export const unrestrictedFolders = ['src/contract', 'src/tooling', 'e2e']

/** The packages that tests and `testing` folders may import on top of their row. */
export const testPackages = [
  ...['@ai-sdk/anthropic', '@anthropic-ai/sdk', '@aws-sdk/client-bedrock-runtime'],
  ...['@copilotkit/aimock', '@decimalturn/toml-patch', '@google/genai'],
  ...['@smithy/node-http-handler', '@testing-library', 'ai', 'fast-check', 'openai', 'undici'],
  ...['vitest', 'ws', 'yaml', 'zod'],
]

/**
 * The folders and files inside a folder, lowest first: each imports only those before it, and none of the others next to them,
 * which may import all.
 */
export const innerOrders: Readonly<Record<string, readonly string[]>> = {
  shared: ['values', 'formats', 'api', 'money', 'tools', 'desktop', 'limits'],
  'gateway/formats': [
    'json',
    'chat',
    'framing',
    'openai-chat',
    'openai-responses',
    'anthropic-messages',
    'gemini-generate',
    'bedrock-converse',
    'pass-through',
    'hosted',
  ],
  'gateway/models': ['tokens', 'providers', 'catalog'],
  'gateway/store': ['sql', 'rows', 'sums', 'part', 'listings', 'ledger', 'settings', 'calls', 'engine'],
  'gateway/upstream': [
    ...['circuit-breaker', 'client-error', 'fan-out', 'redact', 'request-trace'],
    ...['expiring-cache', 'network', 'provider-sockets', 'connection-pool'],
    ...['watchdog', 'network-failure', 'upstream-response', 'authorization', 'request-headers'],
    ...['adapter', 'read-json', 'list-models', 'read-stream', 'http-adapter'],
  ],
  'gateway/spend': [
    ...['cost', 'rates', 'spend-counter', 'spend-tracker', 'account', 'limit'],
    ...['budget-errors', 'spend-limits', 'reservation', 'budget', 'cap-alerts', 'holds'],
  ],
  'gateway/request': [
    ...['in-flight', 'forecast', 'bound', 'charge', 'call', 'ledger', 'quote', 'pass-through', 'lane'],
    ...['prepare', 'token-meter', 'failed-charge', 'run', 'select', 'admit', 'retry', 'dispatch', 'settle'],
    ...['answer', 'stream-budget', 'relay', 'handle-inference'],
  ],
  renderer: ['kit', 'data', 'parts', 'features', 'app'],
}

/** Folders whose folders import nothing of each other. */
export const separateFolders = ['renderer/features', 'features']
