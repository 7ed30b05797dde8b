// Buttons that edit a spend limit where it is shown, or where it has stopped a request.
import { useQuery } from '@tanstack/react-query'
import { Popover } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import type { AccountSpendLimitState } from '../../../shared/api/spend-limits.ts'
import {
  CAP_WARN_FRACTION,
  describeKind,
  type Limit,
  type LimitKind,
  limitsOfKey,
  nearestLimit,
} from '../../../shared/limits/limits.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { PopoverPanel } from '../../kit/popover-panel.tsx'
import { isolate } from '../../kit/quote-name.ts'
import { CapForm } from './cap-form.tsx'
import { MonthlyLimitForm } from './monthly-limit-form.tsx'
import { SpendLimitForm } from './spend-limit-form.tsx'

interface RaiseCapProps {
  record: KeyMetadata
  /** Looks like a link, in a line of text. */
  asLink?: boolean
}

/** Edits the cap of a key. It is called "Raise cap" when the cap is reached, or nearly. */
export function RaiseCap({ record, asLink = false }: RaiseCapProps) {
  return (
    <LimitButton action={capAction(record)} name={`Cap of ${isolate(record.name)}`} asLink={asLink}>
      {(close) => <CapForm record={record} onDone={close} />}
    </LimitButton>
  )
}

function capAction({ spendLimitUsd, spendUsd }: KeyMetadata): string {
  if (spendLimitUsd === null) return 'Set cap'
  return spendUsd >= spendLimitUsd * CAP_WARN_FRACTION ? 'Raise cap' : 'Edit cap'
}

interface RaiseSpendLimitProps {
  /** Null for the account. */
  keyId: string | null
  kind: LimitKind
  limit: Pick<AccountSpendLimitState, 'usd' | 'spentUsd'> | undefined
  asLink?: boolean
}

/** Edits one of the spend limits of a key or of the account. */
export function RaiseSpendLimit({ keyId, kind, limit, asLink = false }: RaiseSpendLimitProps) {
  const isNear = limit !== undefined && limit.spentUsd >= limit.usd * CAP_WARN_FRACTION
  return (
    <LimitButton
      action={limit === undefined ? 'Set limit' : isNear ? 'Raise limit' : 'Edit limit'}
      name={`Limit ${describeKind(kind)}`}
      asLink={asLink}
    >
      {(close) => <SpendLimitForm keyId={keyId} kind={kind} onDone={close} />}
    </LimitButton>
  )
}

/** Edits the nearest limit of a key, or sets its cap. */
export function RaiseNearest({ record }: { record: KeyMetadata }) {
  const nearest = nearestLimit(limitsOfKey(record))
  return nearest === null ? <RaiseCap record={record} /> : <RaiseLimit limit={nearest} record={record} />
}

interface RaiseLimitProps {
  limit: Limit
  /** The key whose limit it is; null for the account. */
  record: KeyMetadata | null
  asLink?: boolean
}

/** Edits a limit of whichever kind. */
export function RaiseLimit({ limit, record, asLink = false }: RaiseLimitProps) {
  const { keyId, kind, limitUsd: usd, spentUsd } = limit
  if (kind !== null) return <RaiseSpendLimit {...{ keyId, kind, asLink }} limit={{ usd, spentUsd }} />
  return record === null ? (
    <RaiseMonthlyLimit asLink={asLink} />
  ) : (
    <RaiseCap record={record} asLink={asLink} />
  )
}

/** Edits the monthly limit. Nothing until the account has been read. */
export function RaiseMonthlyLimit({ asLink = false }: { asLink?: boolean }) {
  const { data: account } = useQuery(queries.account)
  if (!account) return null
  const { monthlyLimitUsd, monthSpendUsd } = account
  const action =
    monthlyLimitUsd !== null && monthSpendUsd >= monthlyLimitUsd * CAP_WARN_FRACTION
      ? 'Raise limit'
      : 'Edit limit'
  return (
    <LimitButton action={action} name="Monthly limit" asLink={asLink}>
      {(close) => <MonthlyLimitForm account={account} onDone={close} />}
    </LimitButton>
  )
}

interface LimitButtonProps {
  action: string
  /** The accessible name of the popover. */
  name: string
  asLink?: boolean
  children: (close: () => void) => ReactNode
}

function LimitButton({ action, name, asLink = false, children }: LimitButtonProps) {
  const [open, setOpen] = useState(false)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        {asLink ? (
          <button
            type="button"
            className="target shrink-0 rounded-sm font-medium text-accent-ink hover:underline"
          >
            {action}
          </button>
        ) : (
          <Button small>{action}</Button>
        )}
      </Popover.Trigger>
      <PopoverPanel align="end" aria-label={name} className="w-80 p-4 text-left text-base text-ink">
        {children(() => setOpen(false))}
      </PopoverPanel>
    </Popover.Root>
  )
}
