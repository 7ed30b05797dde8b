// A key while it is edited. The fields have the names of the API, so that its errors are shown at them.

import { z } from 'zod'
import {
  KeyGuard,
  type KeyMetadata,
  KeyName,
  type KeyUpdate,
  Scope,
  SecretsInPrompts,
} from '../../../shared/api/keys.ts'
import { isMain, MAIN_PERIOD } from '../../../shared/api/terms.ts'
import { countText, formatInput, optionalText, usdText } from '../../kit/number-input.ts'
import type { Option } from '../../kit/select.tsx'
import { LimitDrafts, toDrafts } from '../limits/limit-draft.ts'

export const scopeOptions: readonly Option<Scope>[] = [
  {
    value: 'completions-only',
    label: 'Completions only',
    hint: 'Can call models only. Recommended for most tools.',
  },
  { value: 'full', label: 'Full', hint: 'Can call models, and read requests, usage and prices.' },
  { value: 'read-only', label: 'Read only', hint: 'Can read requests, usage and prices. Cannot spend.' },
  {
    value: 'telemetry-only',
    label: 'Telemetry only',
    hint: 'Can send the usage events of agents, and nothing else.',
  },
  {
    value: 'admin',
    label: 'Admin',
    hint: 'Everything, including keys and providers. Do not use it in apps.',
  },
]

export function scopeLabel(scope: Scope): string {
  return scopeOptions.find(({ value }) => value === scope)?.label ?? scope
}

const MB = 1024 * 1024
const MAX_CACHE_MB = 1024
const OFF = 'off'
const HOUR = 3_600
const DAY = 24 * HOUR

const LIVES = [
  { value: OFF, label: 'Off' },
  { value: String(HOUR), label: 'Repeat answers for an hour' },
  { value: String(DAY), label: 'Repeat answers for a day' },
  { value: String(7 * DAY), label: 'Repeat answers for a week' },
  { value: String(30 * DAY), label: 'Repeat answers for 30 days' },
]

const STORING = { default: null, always: true, never: false } as const

const keyName = z
  .string()
  .trim()
  .refine((name) => KeyName.safeParse(name).success, 'Enter a name of 1 to 100 characters.')
  .meta({ label: 'Name', maxLength: 100 })

const spendCap = usdText.meta({ label: 'Spend cap (USD)', inputMode: 'decimal', placeholder: 'No cap' })

/** The fields of every form that creates a key. */
export const NewKey = z.object({ name: keyName, spendLimitUsd: spendCap })

export const KeyDraft = z.object({
  name: keyName,
  scope: Scope.meta({ label: 'Scope', options: scopeOptions }),
  spendLimitUsd: spendCap,
  spendLimits: LimitDrafts,
  strict: z.boolean(),
  tag: optionalText.meta({
    label: 'Project',
    maxLength: 100,
    placeholder: 'None',
    hint: 'All its requests are counted under this name, even if they name another project.',
  }),
  expiresAt: z.string().nullable(),
  /** An empty list allows all models. */
  allowedModels: z.array(z.string()).transform((models) => (models.length === 0 ? null : models)),
  rpmLimit: countText.meta({ label: 'Requests per minute', inputMode: 'numeric', placeholder: 'Default' }),
  tpmLimit: countText.meta({ label: 'Tokens per minute', inputMode: 'numeric', placeholder: 'Default' }),
  maxSubagents: countText.meta({ label: 'Sub-agents at a time', inputMode: 'numeric', placeholder: 'Any' }),
  storeBodies: z
    .enum(['default', 'always', 'never'])
    .transform((choice) => STORING[choice])
    .meta({
      label: 'Prompts and answers',
      options: [
        { value: 'default', label: 'As in Settings' },
        { value: 'always', label: 'Always store' },
        { value: 'never', label: 'Never store' },
      ],
    }),
  guard: KeyGuard.meta({
    label: 'Runaway guard',
    options: [
      { value: 'on', label: 'Watches this key' },
      { value: 'allow-repeats', label: 'Allows equal prompts' },
      { value: 'off', label: 'Ignores this key' },
    ],
  }),
  secretsInPrompts: SecretsInPrompts.meta({
    label: 'Secrets in prompts',
    options: [
      { value: 'note', label: 'Noted in Activity' },
      { value: 'block', label: 'Not sent' },
      { value: 'off', label: 'Not looked for' },
    ],
  }),
  /** How long answers are repeated, in seconds. */
  cacheLife: z.string().meta({
    label: 'Response cache',
    hint: 'An equal request with temperature 0 and without tools gets the stored answer, at no cost. For tests and evaluations.',
  }),
  cacheMb: countText
    .refine((mb) => mb !== null && mb <= MAX_CACHE_MB, `Enter a whole number from 1 to ${MAX_CACHE_MB}.`)
    .meta({
      label: 'Space for answers (MB)',
      inputMode: 'numeric',
      hint: 'Those unused for the longest time are deleted first.',
    }),
})
export type KeyDraft = z.input<typeof KeyDraft>

/** What the form of a key shows of it. */
export type EditableKey = Pick<KeyMetadata, 'scope' | keyof KeyUpdate>

export function toKeyDraft(key: EditableKey): KeyDraft {
  const { name, scope, strict, expiresAt, guard, secretsInPrompts, storeBodies, responseCache } = key
  return {
    name,
    scope,
    strict,
    expiresAt,
    guard,
    secretsInPrompts,
    spendLimitUsd: formatInput(key.spendLimitUsd),
    spendLimits: toDrafts(key.spendLimits.filter((limit) => !isMain(limit, MAIN_PERIOD.key))),
    tag: key.tag ?? '',
    allowedModels: [...(key.allowedModels ?? [])],
    rpmLimit: formatInput(key.rpmLimit),
    tpmLimit: formatInput(key.tpmLimit),
    maxSubagents: formatInput(key.maxSubagents),
    storeBodies: storeBodies === null ? 'default' : storeBodies ? 'always' : 'never',
    cacheLife: responseCache === null ? OFF : String(responseCache.ttlSeconds),
    cacheMb: String(Math.max(1, Math.round((responseCache?.maxBytes ?? 64 * MB) / MB))),
  }
}

/** The fields of the API. */
export function toKeyFields({ scope: _, cacheLife, cacheMb, ...fields }: z.output<typeof KeyDraft>) {
  const isCached = cacheLife !== OFF && cacheMb !== null
  const responseCache = isCached ? { ttlSeconds: Number(cacheLife), maxBytes: cacheMb * MB } : null
  return { ...fields, responseCache }
}
export type KeyFields = ReturnType<typeof toKeyFields>

export function isCacheOn({ cacheLife }: KeyDraft): boolean {
  return cacheLife !== OFF
}

/** The choices for how long answers are repeated, with that of the key. */
export function listCacheLives({ cacheLife }: KeyDraft): readonly Option<string>[] {
  if (LIVES.some(({ value }) => value === cacheLife)) return LIVES
  return [...LIVES, { value: cacheLife, label: `Repeat answers for ${cacheLife} seconds` }]
}
