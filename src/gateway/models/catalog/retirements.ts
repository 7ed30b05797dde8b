// When vendors retire models. A provider's list says it best (OpenAI's has `shutdown_date`); this is for lists that do not. Only
// announced dates count, not the earliest that a vendor reserves for itself, and only at the vendor: clouds have their own dates.
import type { Retirement } from '../../../shared/api/models.ts'
import type { StoredProvider } from '../../store/store.ts'
import { isAtVendor } from '../providers/rows.ts'

interface VendorDates {
  source: string
  /** Ids without the date of a snapshot stand for all of its snapshots that have no entry. */
  dates: Readonly<Record<string, readonly string[]>>
}

/** The vendors by the ids of their providers, as of 2026-11-29. */
const VENDORS: Readonly<Record<string, VendorDates>> = {
  openai: {
    source: 'https://developers.openai.com/api/docs/deprecations',
    dates: {
      '2026-10-23': [
        ...['gpt-3.5-turbo', 'gpt-4', 'gpt-4-turbo', 'gpt-4o-2024-05-13', 'gpt-4.1-nano'],
        ...['o1', 'o1-pro', 'o3-mini', 'o4-mini'],
      ],
      '2026-12-01': ['gpt-image-1-mini', 'gpt-image-1.5', 'chatgpt-image-latest'],
      '2026-12-11': ['gpt-5', 'gpt-5-mini', 'gpt-5-nano', 'gpt-5-pro', 'o3', 'o3-pro'],
      '2027-01-06': ['tts-1', 'tts-1-hd', 'gpt-4o-mini-tts'],
      '2027-01-14': ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'gpt-4.1-mini'],
      '2027-02-26': ['whisper-1', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'gpt-4o-transcribe-diarize'],
      '2027-04-01': ['gpt-5.1', 'gpt-5.3-codex', 'gpt-5.4-nano'],
    },
  },
  anthropic: {
    source: 'https://platform.claude.com/docs/en/about-claude/model-deprecations',
    dates: {
      '2026-06-15': ['claude-opus-4', 'claude-sonnet-4'],
      '2026-08-05': ['claude-opus-4-1'],
      '2026-11-30': ['claude-sonnet-4-5'],
    },
  },
  gemini: {
    source: 'https://ai.google.dev/gemini-api/docs/deprecations',
    dates: {
      '2026-06-01': ['gemini-2.0-flash', 'gemini-2.0-flash-001'],
      '2026-10-02': ['gemini-2.5-flash-image'],
      '2026-12-01': ['gemini-2.5-pro', 'gemini-2.5-flash'],
    },
  },
}

const byProvider = new Map(
  Object.entries(VENDORS).map(([provider, { source, dates }]) => {
    const entries = Object.entries(dates).flatMap(([on, ids]) =>
      ids.map((id) => [id, { on, source }] as const),
    )
    return [provider, new Map<string, Retirement>(entries)]
  }),
)

/** `listed`: the date in the list of the provider. Null for a model without an announced date. */
export function findRetirement(
  provider: StoredProvider,
  modelId: string,
  listed: string | undefined,
): Retirement | null {
  const { source = null } = VENDORS[provider.id] ?? {}
  if (listed !== undefined) return { on: listed, source }
  return isAtVendor(provider) ? findVendorRetirement(provider.id, modelId) : null
}

/** The retirement of a model that the vendor may not list any more. */
export function findVendorRetirement(providerId: string, modelId: string): Retirement | null {
  const models = byProvider.get(providerId)
  const undated = modelId.replace(/-(\d{4}-\d{2}-\d{2}|\d{8})$/, '')
  return models?.get(modelId) ?? models?.get(undated) ?? null
}

/** Whether the day of the retirement has begun, in UTC. `now`: epoch milliseconds. */
export function isRetired({ on }: Retirement, now: number): boolean {
  return now >= Date.parse(on)
}

/** `OpenAI has announced to retire gpt-5 on 2026-12-11 (https://…).` */
export function describeRetirement(vendor: string, model: string, { on, source }: Retirement): string {
  return `${vendor} has announced to retire ${model} on ${on}${source === null ? '' : ` (${source})`}.`
}
