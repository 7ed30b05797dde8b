// A key while it is edited.
import { type KeyMetadata, KeyName } from '../../../shared/api/keys.ts'
import { formatInput, parseCount, parseUsd } from '../../kit/number-input.ts'
import { type LimitDraft, parseDrafts, toDrafts } from '../limits/limit-draft.ts'

type PlainField = 'name' | 'scope' | 'strict' | 'expiresAt' | 'storeBodies' | 'guard'
type TypedField =
  | 'spendLimitUsd'
  | 'rpmLimit'
  | 'tpmLimit'
  | 'maxSubagents'
  | 'tag'
  | 'allowedModels'
  | 'spendLimits'
  | 'responseCache'

export interface KeyDraft extends Pick<KeyMetadata, PlainField> {
  cap: string
  rpm: string
  tpm: string
  subagents: string
  limits: LimitDraft[]
  tag: string
  /** An empty list allows all models. */
  allowedModels: readonly string[]
  /** How long answers are repeated; null for no response cache. */
  cacheSeconds: number | null
  cacheMb: string
}

const MB = 1024 * 1024
const MAX_CACHE_MB = 1024

export function toKeyDraft(key: Pick<KeyMetadata, PlainField | TypedField>): KeyDraft {
  const { name, scope, strict, expiresAt, storeBodies, guard } = key
  return {
    ...{ name, scope, strict, expiresAt, storeBodies, guard },
    cap: formatInput(key.spendLimitUsd),
    rpm: formatInput(key.rpmLimit),
    tpm: formatInput(key.tpmLimit),
    subagents: formatInput(key.maxSubagents),
    limits: toDrafts(key.spendLimits),
    tag: key.tag ?? '',
    allowedModels: key.allowedModels ?? [],
    cacheSeconds: key.responseCache?.ttlSeconds ?? null,
    cacheMb: String(Math.max(1, Math.round((key.responseCache?.maxBytes ?? 64 * MB) / MB))),
  }
}

/** The fields of the API, null if there is a mistake, and the mistakes of what is typed. */
export function parseKeyDraft({ cap, rpm, tpm, subagents, limits, ...draft }: KeyDraft) {
  const name = draft.name.trim()
  const isNamed = KeyName.safeParse(name).success
  const amount = parseUsd(cap)
  const requests = parseCount(rpm)
  const tokens = parseCount(tpm)
  const agents = parseCount(subagents)
  const spendLimits = parseDrafts(limits)
  const cache = parseCache(draft)
  const { strict, expiresAt, storeBodies, guard, tag, allowedModels } = draft
  return {
    mistakes: {
      name: isNamed ? null : 'Enter a name of 1 to 100 characters.',
      cap: amount.ok ? null : amount.message,
      rpm: requests.ok ? null : requests.message,
      tpm: tokens.ok ? null : tokens.message,
      subagents: agents.ok ? null : agents.message,
      cacheMb: cache.ok ? null : cache.message,
    },
    capUsd: amount.ok ? amount.usd : null,
    fields:
      isNamed && amount.ok && requests.ok && tokens.ok && agents.ok && cache.ok && spendLimits !== null
        ? {
            ...{ name, strict, expiresAt, storeBodies, guard, spendLimits },
            spendLimitUsd: amount.usd,
            rpmLimit: requests.count,
            tpmLimit: tokens.count,
            responseCache: cache.responseCache,
            maxSubagents: agents.count,
            tag: tag.trim() === '' ? null : tag.trim(),
            allowedModels: allowedModels.length === 0 ? null : [...allowedModels],
          }
        : null,
  }
}

function parseCache({ cacheSeconds, cacheMb }: Pick<KeyDraft, 'cacheSeconds' | 'cacheMb'>) {
  if (cacheSeconds === null) return { ok: true, responseCache: null } as const
  const parsed = parseCount(cacheMb)
  if (!parsed.ok || parsed.count === null || parsed.count > MAX_CACHE_MB)
    return { ok: false, message: `Enter a whole number from 1 to ${MAX_CACHE_MB}.` } as const
  return { ok: true, responseCache: { ttlSeconds: cacheSeconds, maxBytes: parsed.count * MB } } as const
}

export type KeyFields = NonNullable<ReturnType<typeof parseKeyDraft>['fields']>
