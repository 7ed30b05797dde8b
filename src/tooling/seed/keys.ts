import type { Scope } from '../../shared/api/keys.ts'

/** A key that seeded requests were made with, and its clients. */
export interface SeedKey {
  name: string
  scope: Scope
  purpose: 'user' | 'playground'
  /** How many of the requests it makes, relative to the others; 0 for one that only administers. */
  weight: number
  clients: readonly { userAgent: string | null; weight: number }[]
  /** The project of its requests; null for none, or another for each run. */
  tag: string | null
  /** Whether its prompts are stored; null follows the settings. */
  storeBodies: true | null
  /** The fraction of its cap that it has spent in the end; null without a cap. */
  capUsed: number | null
  rpmLimit: number | null
  /** The fraction of the time after which it was revoked; null when it was not. */
  revokedAfter: number | null
}

const PYTHON = 'OpenAI/Python 2.8.1'
const NODE = 'OpenAI/JS 7.55.0'
const AI_SDK = 'ai/7.0.173 ai-sdk-provider-utils/5.0.81 node.js/24'
const CLAUDE = 'claude-cli/2.1.329 (external, cli)'
const CODEX = 'codex_cli_rs/0.169.0 (Ubuntu 24.4.0; x86_64) xterm-256color'
const LANGCHAIN = 'langchainjs-openai/1.6.0 ((node/v24.21.0; linux; x64))'
const WINDOW =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36'

const PLAIN = {
  scope: 'completions-only',
  purpose: 'user',
  rpmLimit: null,
  revokedAfter: null,
  tag: null,
  storeBodies: null,
} as const

const clients = (...all: [userAgent: string | null, weight: number][]) =>
  all.map(([userAgent, weight]) => ({ userAgent, weight }))

export const SEED_KEYS: readonly SeedKey[] = [
  { ...PLAIN, name: 'Admin', scope: 'admin', weight: 0, clients: [], capUsed: null },
  {
    ...PLAIN,
    name: 'Coding agents',
    storeBodies: true,
    scope: 'full',
    weight: 34,
    capUsed: 0.83,
    clients: clients([CLAUDE, 6], [CODEX, 4]),
  },
  {
    ...PLAIN,
    name: 'Docs search',
    weight: 26,
    capUsed: null,
    clients: clients([NODE, 5], [LANGCHAIN, 2]),
  },
  {
    ...PLAIN,
    name: 'Nightly evals',
    tag: 'Evals',
    weight: 18,
    capUsed: 0.46,
    rpmLimit: 300,
    clients: clients([PYTHON, 8], ['python-requests/2.32.5', 1]),
  },
  {
    ...PLAIN,
    name: 'Support bot (staging)',
    tag: 'Support',
    weight: 14,
    capUsed: 0.97,
    clients: clients([AI_SDK, 6], ['curl/8.14.1', 1]),
  },
  {
    ...PLAIN,
    name: 'Old laptop',
    weight: 5,
    capUsed: 0.2,
    revokedAfter: 0.55,
    clients: clients(['OpenAI/Python 1.109.1', 1]),
  },
  {
    ...PLAIN,
    name: 'Playground',
    purpose: 'playground',
    weight: 3,
    capUsed: null,
    clients: clients([WINDOW, 6], [null, 1]),
  },
]
