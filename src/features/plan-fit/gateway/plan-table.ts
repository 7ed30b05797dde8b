// The plans that agents can be signed in to: what they cost, and how much use their windows allow. Amounts are USD at list prices of
// the API, which is the only measure that the plans of all vendors have in common.

import type { PlanBasis, PlanLength } from '../api/plan-fit.ts'

/** When the table was last compared with its sources. */
export const TABLE_DATE = '2026-11-29'

/** Which models a plan can be used with, by their names. */
const MODELS = {
  claude: /claude/,
  gpt: /(?:^|[/.])(?:gpt-(?!oss)|chatgpt|codex|o[1-9]\b)/,
  gemini: /gemini/,
  open: /glm|kimi|deepseek|minimax|qwen|mimo/,
} as const
type Family = keyof typeof MODELS

interface Source {
  /** Where it says so: an address, or a project with its version. */
  source: string
  /** The day when it was read or measured. */
  asOf: string
}

interface PlanWindow extends Source {
  length: PlanLength
  /** Null where neither the vendor nor a user has published it. */
  allowanceUsd: number | null
  basis: PlanBasis
  note: string
}

export interface PlanRow extends Source {
  id: string
  name: string
  vendor: string
  /** A month, without tax. */
  priceUsd: number
  families: readonly Family[]
  windows: readonly PlanWindow[]
}

const GUIDE = { source: 'FlorianBruniaux/claude-code-ultimate-guide 3.45.0', asOf: '2026-10-31' }
const CLAUDE_PRICES = { source: 'https://claude.com/pricing', asOf: '2026-09-13' }
const TRIAL = { source: 'mahonzhan/awesome-coding-plan', asOf: '2026-08-31' }
const CODEX_PRICES = { source: 'https://developers.openai.com/codex/pricing', asOf: '2026-06-21' }
const CHATGPT_PRICES = { source: 'https://openai.com/chatgpt/pricing', asOf: '2026-09-13' }
const CODING_PLAN = { source: 'wmpeng/codingplan', asOf: '2026-11-18' }
const COPILOT = { source: 'https://github.com/features/copilot/plans', asOf: '2026-10-07' }
const GOOGLE = { source: 'https://antigravitylab.net', asOf: '2026-06-12' }
const OPENCODE = { source: 'https://codingplan.org', asOf: '2026-08-31' }

/** It was measured while a week allowed half as much again. Since September 2026, a week allows a quarter more than before. */
const PRO_WEEK_USD = Math.round((318.4 * 1.25) / 1.5)
const PRO_FIVE_HOURS_USD = 31.84
const PLUS_WEEK_USD = 109.12

const unpublished = (length: PlanLength, source: Source, note: string): PlanWindow => ({
  length,
  allowanceUsd: null,
  basis: 'unpublished',
  note,
  ...source,
})
const credits = (allowanceUsd: number): PlanWindow => ({
  length: 'month',
  allowanceUsd,
  basis: 'published',
  ...COPILOT,
  note: 'GitHub publishes it: AI credits of $0.01, spent at list prices. It may change a part of them.',
})
const copilot = (id: string, name: string, priceUsd: number, allowanceUsd: number): PlanRow => ({
  id,
  name,
  vendor: 'GitHub',
  priceUsd,
  families: ['claude', 'gpt', 'gemini'],
  ...COPILOT,
  windows: [credits(allowanceUsd)],
})
const chatGptPro = (id: string, name: string, priceUsd: number, ratio: number): PlanRow => ({
  id,
  name,
  vendor: 'OpenAI',
  priceUsd,
  families: ['gpt'],
  ...CODEX_PRICES,
  windows: [
    {
      length: 'week',
      allowanceUsd: Math.round(PLUS_WEEK_USD * ratio),
      basis: 'ratio',
      ...CODEX_PRICES,
      note: `OpenAI publishes that it is ${ratio} times that of Plus, which a user measured.`,
    },
  ],
})
const google = (id: string, name: string, priceUsd: number): PlanRow => ({
  id,
  name,
  vendor: 'Google',
  priceUsd,
  families: ['gemini'],
  ...GOOGLE,
  windows: [
    unpublished('five-hours', GOOGLE, 'Google publishes no amount.'),
    unpublished('week', GOOGLE, 'Google publishes no amount.'),
  ],
})

export const PLAN_TABLE: readonly PlanRow[] = [
  {
    id: 'claude-pro',
    name: 'Claude Pro',
    vendor: 'Anthropic',
    priceUsd: 20,
    families: ['claude'],
    ...CLAUDE_PRICES,
    windows: [
      {
        length: 'five-hours',
        allowanceUsd: PRO_FIVE_HOURS_USD,
        basis: 'measured',
        ...TRIAL,
        note: 'Measured by a user with Claude Opus 4.8. Anthropic publishes no amount.',
      },
      {
        length: 'week',
        allowanceUsd: PRO_WEEK_USD,
        basis: 'measured',
        ...TRIAL,
        note: 'Measured by a user with Claude Opus 4.8 while a week had 50% more; since September 2026 it has 25% more. Anthropic publishes no amount.',
      },
    ],
  },
  {
    id: 'claude-max',
    name: 'Claude Max',
    vendor: 'Anthropic',
    priceUsd: 100,
    families: ['claude'],
    ...GUIDE,
    windows: [
      {
        length: 'five-hours',
        allowanceUsd: PRO_FIVE_HOURS_USD * 5,
        basis: 'ratio',
        ...CLAUDE_PRICES,
        note: 'Anthropic publishes that it is 5 times that of Pro, which a user measured.',
      },
      {
        length: 'week',
        allowanceUsd: Math.round(550 * 1.25),
        basis: 'measured',
        source: 'https://www.reddit.com/r/ClaudeCode',
        asOf: '2025-12-08',
        note: 'Measured by a user with Claude Opus 4.5; since September 2026 it has 25% more. Anthropic publishes no amount.',
      },
    ],
  },
  {
    id: 'claude-ultra',
    name: 'Claude Ultra',
    vendor: 'Anthropic',
    priceUsd: 200,
    families: ['claude'],
    ...GUIDE,
    windows: [
      {
        length: 'week',
        allowanceUsd: PRO_WEEK_USD * 10,
        basis: 'ratio',
        ...GUIDE,
        note: 'Anthropic publishes that it is 10 times that of Pro, which a user measured. Verified accounts have no window of five hours.',
      },
    ],
  },
  {
    id: 'chatgpt-plus',
    name: 'ChatGPT Plus',
    vendor: 'OpenAI',
    priceUsd: 20,
    families: ['gpt'],
    ...CHATGPT_PRICES,
    windows: [
      {
        length: 'five-hours',
        allowanceUsd: Math.round((PLUS_WEEK_USD * 6.46) / 41.35),
        basis: 'ratio',
        ...CODING_PLAN,
        note: 'Users find 16% of the week, which a user measured. OpenAI publishes no amount.',
      },
      {
        length: 'week',
        allowanceUsd: PLUS_WEEK_USD,
        basis: 'measured',
        ...TRIAL,
        note: 'Measured by a user with GPT-5.6 Sol. OpenAI publishes no amount.',
      },
    ],
  },
  chatGptPro('chatgpt-pro', 'ChatGPT Pro, 5×', 100, 5),
  chatGptPro('chatgpt-pro-20x', 'ChatGPT Pro, 20×', 200, 20),
  {
    id: 'chatgpt-pro-max',
    name: 'ChatGPT Pro, largest',
    vendor: 'OpenAI',
    priceUsd: 500,
    families: ['gpt'],
    ...CODING_PLAN,
    windows: [unpublished('week', CODING_PLAN, 'OpenAI publishes neither an amount nor a ratio.')],
  },
  copilot('copilot-pro', 'Copilot Pro', 10, 15),
  copilot('copilot-pro-plus', 'Copilot Pro+', 39, 70),
  copilot('copilot-max', 'Copilot Max', 100, 200),
  google('google-ai-pro', 'Google AI Pro', 19.99),
  google('google-ai-ultra', 'Google AI Ultra, 5×', 100),
  google('google-ai-ultra-20x', 'Google AI Ultra, 20×', 200),
  {
    id: 'opencode-go',
    name: 'OpenCode Go',
    vendor: 'OpenCode',
    priceUsd: 10,
    families: ['open'],
    ...OPENCODE,
    windows: (
      [
        ['five-hours', 12],
        ['week', 30],
        ['month', 60],
      ] as const
    ).map(([length, allowanceUsd]) => ({
      length,
      allowanceUsd,
      basis: 'published',
      note: 'OpenCode publishes it, in USD at its own prices.',
      ...OPENCODE,
    })),
  },
]

/** Whether a plan can be used with a model, by the name that an agent or a provider gives it. */
export function covers({ families }: Pick<PlanRow, 'families'>, model: string): boolean {
  const name = model.toLowerCase()
  return families.some((family) => MODELS[family].test(name))
}
