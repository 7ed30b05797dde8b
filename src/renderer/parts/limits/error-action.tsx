import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Account } from '../../../shared/api/account.ts'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { findMain } from '../../../shared/api/main-limit.ts'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { AccountSpendLimitState } from '../../../shared/api/spend-limits.ts'
import { MAIN_PERIOD, type MainPeriod } from '../../../shared/api/terms.ts'
import { toKind } from '../../../shared/limits/limits.ts'
import { createMatcher } from '../../../shared/values/model-pattern.ts'
import { adviceFor } from '../../data/advice.ts'
import { queries } from '../../data/queries.ts'
import { formatUsd } from '../../kit/format.ts'
import { useNow } from '../../kit/use-now.ts'
import { LimitButton } from './limit-form.tsx'

interface ErrorActionProps {
  error: { type: string; code?: string | null | undefined; param?: string | null | undefined }
  /** The key of the failed request; null for that of the playground. */
  keyId: string | null
  /** The model that the request asked for. */
  model?: string | null | undefined
}

/**
 * The action next to the advice about a failed request: it raises the limit in place, or links to the view that can help.
 */
export function ErrorAction({ error, keyId, model = null }: ErrorActionProps) {
  const { data: keys } = useQuery(queries.keys)
  const { data: account } = useQuery(queries.account)
  const key = keys?.find((one) => (keyId === null ? one.purpose === 'playground' : one.id === keyId))
  const usable = key?.revokedAt === null ? key : null
  const kind = findKind(usable?.spendLimits, error.param)
  switch (error.code) {
    case 'account_limit_reached':
      return <LimitButton keyId={null} kind={findKind(account?.spendLimits, error.param)} />
    case 'spend_limit_reached':
      if (usable) return <LimitButton keyId={usable.id} kind={kind} />
      break
    case 'spend_reserved':
      // The running requests have reserved the rest of one of them.
      if (usable && (kind ?? usable.spendLimits[0])) return <LimitButton keyId={usable.id} kind={kind} />
      return <LimitButton keyId={null} />
    default:
  }
  const to = adviceFor(error, { keyId: usable?.id ?? null, model })?.to
  return to ? (
    <Link href={to.href} className="target shrink-0 font-medium text-accent-ink hover:underline">
      {to.label}
    </Link>
  ) : null
}

/** The kind of the limit that an error names by its place: `spendLimits[1]`. Undefined if it is not there any more. */
function findKind(limits: readonly AccountSpendLimitState[] | undefined, param: string | null | undefined) {
  const place = /^spendLimits\[(\d+)\]$/.exec(param ?? '')?.[1]
  const limit = place === undefined ? undefined : limits?.[Number(place)]
  return limit && toKind(limit)
}

// Whether what stopped a request is still there: advice must be true when it is read, not when the request failed.

const MINUTE_MS = 60_000

interface RequestError {
  type: string
  code?: string | null | undefined
  param?: string | null | undefined
}

export interface FailedRequest {
  error: RequestError
  /** The key of the failed request; null for that of the playground. */
  keyId: string | null
  /** The model that it asked for. */
  model: string | null
  /** When it failed, in milliseconds since 1970; null if that was just now. */
  failedAt: number | null
}

interface Present {
  /** Null if there is none, or none that is not revoked. */
  key: KeyMetadata | null
  account: Account
  /** The requested one. */
  model: ModelRecord | null
  /** Whether the limits of the account are strict. */
  strictLimits: boolean
  now: number
}

type FixFinder = (present: Present, failed: FailedRequest) => string | null

/**
 * By the code of the error: what has changed since, or null if it may fail again. A strict limit may have something left and
 * still be too small for a request.
 */
const BY_CODE: Readonly<Record<string, FixFinder>> = {
  paused: ({ account }) =>
    account.pausedAt === null ? 'Everything was paused then. It has been resumed.' : null,
  key_paused: ({ key }) => (key?.pausedAt === null ? 'The key was paused then. It has been resumed.' : null),
  key_expired: ({ key, now }) =>
    key && (key.expiresAt === null || Date.parse(key.expiresAt) > now)
      ? 'The end date of the key had passed then. The key can be used again.'
      : null,
  model_not_allowed: ({ key, model }) =>
    key && model && (key.allowedModels === null || createMatcher(key.allowedModels)(model.id, model.provider))
      ? 'The key did not allow this model then. It does now.'
      : null,
  spend_limit_reached: ({ key }, { error }) =>
    key && !key.strict ? describeRoom(key.spendLimits, MAIN_PERIOD.key, error.param) : null,
  account_limit_reached: ({ key, account, strictLimits }, { error }) =>
    strictLimits || key?.strict ? null : describeRoom(account.spendLimits, MAIN_PERIOD.account, error.param),
  spend_reserved: ({ key, account }) =>
    (key?.reservedUsd ?? 0) + account.reservedUsd === 0
      ? 'Running requests had reserved the rest of a cap or limit then. Nothing is reserved now.'
      : null,
  spend_held: ({ key, account }) =>
    (key?.reservedUsd ?? 0) + account.reservedUsd === 0
      ? 'The rest of a cap or limit was reserved then. Nothing is reserved now.'
      : null,
  key_rate_limit: hasPassed,
  plan_rate_limit: hasPassed,
  model_disabled: describeEnabled,
  provider_disabled: describeEnabled,
  model_not_found: ({ model }) =>
    model?.enabled ? 'There was no model with this name then. There is one now.' : null,
  model_unpriced: ({ model }, { error }) =>
    model?.pricing && error.param === 'model' ? 'The model had no price then. It has one now.' : null,
}

/** Says that the obstacle is gone; null if it may still be there. */
export function describeSolved(present: Present, failed: FailedRequest): string | null {
  return (failed.error.code && BY_CODE[failed.error.code]?.(present, failed)) || null
}

/** Checks against the present state of the gateway; null until that is known. */
export function useSolved(failed: FailedRequest): string | null {
  const { data: keys } = useQuery(queries.keys)
  const { data: account } = useQuery(queries.account)
  const { data: models } = useQuery(queries.models)
  const { data: settings } = useQuery(queries.settings)
  const now = useNow()
  if (!keys || !account || !settings) return null
  const { keyId, model: id } = failed
  const key = keys.find((one) =>
    keyId === null ? one.purpose === 'playground' && one.revokedAt === null : one.id === keyId,
  )
  if (key && key.revokedAt !== null) return 'The key has been revoked since.'
  const model = models?.find((one) => one.id === id || `${one.provider}/${one.id}` === id)
  const { strictLimits } = settings
  return describeSolved({ key: key ?? null, account, model: model ?? null, strictLimits, now }, failed)
}

/** Describes the rest of the limit that an error names by its place, `spendLimits[1]`; errors of version 0.1 name no main limit. */
function describeRoom(
  limits: readonly AccountSpendLimitState[],
  main: MainPeriod,
  param: string | null | undefined,
): string | null {
  const place = /^spendLimits\[(\d+)\]$/.exec(param ?? '')?.[1]
  const limit = place === undefined ? findMain(limits, main) : limits[Number(place)]
  if (!limit) return 'A limit was reached then. It has been removed.'
  const left = limit.usd - limit.spentUsd
  return left > 0 ? `A limit was reached then. ${formatUsd(left)} of it is left now.` : null
}

function hasPassed({ now }: Present, { failedAt }: FailedRequest): string | null {
  if (failedAt === null || now - failedAt < MINUTE_MS) return null
  return 'The limit was for one minute, which has passed. Raise it if requests reach it often.'
}

function describeEnabled({ model }: Present): string | null {
  return model?.enabled ? 'The model was disabled then. It is enabled now.' : null
}
