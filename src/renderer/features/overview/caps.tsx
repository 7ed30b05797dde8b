import { useQuery } from '@tanstack/react-query'
import { CirclePause } from 'lucide-react'
import { toast } from 'sonner'
import { t } from 'ttag'
import { Link } from 'wouter'
import type { Account } from '../../../shared/api/account.ts'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import {
  byNearness,
  describeKind,
  headlineLimit,
  type Limit,
  limitsOfAccount,
  limitsOfKey,
  nearestLimit,
} from '../../../shared/limits/limits.ts'
import { resumeKey } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { cn } from '../../kit/cn.ts'
import { isolate, quoteName } from '../../kit/format.ts'
import { formatRemaining, GaugeBar, reachedText } from '../../kit/gauge.tsx'
import { SkeletonRows } from '../../kit/notice.tsx'
import { CardHeader } from '../../kit/page.tsx'
import { jt } from '../../kit/rich-text.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'
import { HelpHint } from '../../parts/help/help-hint.tsx'
import { LimitButton } from '../../parts/limits/limit-form.tsx'
import { CapNote } from './cap-note.tsx'

const MAX = 4

interface Row {
  limit: Limit
  /** Null for a limit of the account. */
  record: KeyMetadata | null
}

/** The nearest limit of each key, and those of the account that have no card of their own: the nearest first. */
export function Caps({ account }: { account: Account | null }) {
  const { data: keys, isPending, isLoadingError } = useQuery(queries.keys)
  const paused = (keys ?? []).filter(({ pausedAt, revokedAt }) => pausedAt !== null && revokedAt === null)
  const rows = keys ? listRows(keys, account) : []
  return (
    <>
      <CardHeader title={t`Caps`} hint={<HelpHint of="reserved" />}>
        <Link href="/keys" className="target hover:text-ink hover:underline">
          {rows.length > MAX ? t`all ${rows.length}` : t`Open Keys`}
        </Link>
      </CardHeader>
      {isPending ? <SkeletonRows rows={2} /> : null}
      {paused.length > 0 ? (
        <ul aria-label={t`Paused keys`} className="flex flex-col gap-2 px-4 pt-1 pb-3">
          {paused.slice(0, MAX).map((record) => (
            <PausedKeyRow key={record.id} record={record} />
          ))}
        </ul>
      ) : null}
      {keys && rows.length === 0 ? (
        <p className="px-4 pt-1 pb-5 text-ink-3">{t`No key has a cap. Requests of a key stop once its cap is spent. A key can also have limits per day or per session.`}</p>
      ) : null}
      {isLoadingError ? <p className="px-4 pt-1 pb-5 text-ink-3">{t`Keys could not be loaded.`}</p> : null}
      {rows.length > 0 ? (
        <ul className="flex flex-col gap-4 px-4 pt-1 pb-4 max-xl:[&>li:nth-child(n+4)]:hidden">
          {rows.slice(0, MAX).map((row) => (
            <Cap key={row.record?.id ?? t`account ${row.limit.index}`} {...row} />
          ))}
        </ul>
      ) : null}
    </>
  )
}

function listRows(keys: readonly KeyMetadata[], account: Account | null): Row[] {
  const ofKeys = keys.flatMap((record): Row[] => {
    const limit = record.revokedAt === null ? nearestLimit(limitsOfKey(record)) : null
    return limit === null ? [] : [{ limit, record }]
  })
  const onCard = account && headlineLimit(account)
  const others = account ? limitsOfAccount(account).filter(({ index }) => index !== onCard?.index) : []
  return [...ofKeys, ...others.map((limit) => ({ limit, record: null }))].toSorted((a, b) =>
    byNearness(a.limit, b.limit),
  )
}

function Cap({ limit, record }: Row) {
  const { kind, spentUsd, reservedUsd, limitUsd, warnsOnly } = limit
  const name = record?.name ?? t`All keys`
  const after = kind !== null ? describeKind(kind) : record === null ? t`this month` : undefined
  const remaining = formatRemaining(spentUsd, limitUsd, after)
  return (
    <li>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="max-w-full truncate" title={name}>
          <bdi>{name}</bdi>
        </span>
        <span
          title={remaining}
          className={cn(
            'ml-auto max-w-full truncate text-sm',
            spentUsd >= limitUsd ? reachedText(warnsOnly) : 'text-ink-2',
          )}
        >
          {remaining}
        </span>
      </p>
      <div className="mt-1.5">
        <GaugeBar
          label={t`Spend of ${isolate(name)}`}
          {...{ spentUsd, reservedUsd, limitUsd, warnsOnly }}
          {...(after === undefined ? {} : { after })}
        />
      </div>
      <div className="mt-1.5 flex min-h-4 items-baseline gap-3 text-xs">
        <p className="min-w-0 flex-1 text-ink-3 md:truncate">
          <CapNote limit={limit} record={record} />
        </p>
        <LimitButton keyId={record?.id ?? null} kind={kind} asLink />
      </div>
    </li>
  )
}

/** A paused key in a list: since when, why, and the way on. Its name leads to the key. */
function PausedKeyRow({ record: { id, name, pausedAt, pauseReason } }: { record: KeyMetadata }) {
  const { pending, error, submit } = useSubmit()
  if (pausedAt === null) return null
  const resume = () =>
    submit(async () => {
      await resumeKey(id)
      toast.success(t`${quoteName(name)} works again.`)
    })
  return (
    <li className="flex items-start gap-2 rounded-md bg-warn-soft px-2.5 py-1.5 text-sm text-warn">
      <CirclePause size={14} aria-hidden className="mt-0.5 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="truncate">
          {jt`${(
            <Link href={`/keys?edit=${id}`} className="target font-medium hover:underline">
              <bdi>{name}</bdi>
            </Link>
          )} · paused ${<RelativeTime iso={pausedAt} />}`}
        </p>
        <p className="line-clamp-2" title={pauseReason ?? undefined}>
          {error?.message ?? pauseReason ?? t`No request with this key is sent to a model.`}
        </p>
      </div>
      <button
        type="button"
        aria-label={t`Resume ${quoteName(name)}`}
        disabled={pending}
        onClick={() => void resume()}
        className="target shrink-0 rounded-sm font-medium hover:underline disabled:opacity-50"
      >{t`Resume`}</button>
    </li>
  )
}
