import { useQuery } from '@tanstack/react-query'
import { Popover } from 'radix-ui'
import { type FormEvent, useState } from 'react'
import { toast } from 'sonner'
import { Rehearsed } from '../../../features/rules/view/rehearsal.tsx'
import type { Account } from '../../../shared/api/account.ts'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import {
  CAP_WARN_FRACTION,
  describeKind,
  isMainLimit,
  isSameLimit,
  type LimitKind,
  type LimitRef,
  mainKind,
  withoutState,
} from '../../../shared/limits/limits.ts'
import { updateAccount, updateKey } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { TextField } from '../../kit/field.tsx'
import { formatDay, formatUsd, isolate, quoteName } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { formatInput, parseUsd } from '../../kit/number-input.ts'
import { PopoverPanel } from '../../kit/popover-panel.tsx'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { closeLimitDialog, useLimitDialog } from './limit-dialog-state.ts'
import { describeReset, lastRun } from './limit-text.ts'

// The form of every spend limit, and the button that opens it where a limit is shown, or has stopped a request.

const WORDS = {
  cap: { none: 'No cap', remove: 'Remove cap', set: 'Set cap', raise: 'Raise cap', edit: 'Edit cap' },
  limit: {
    none: 'No limit',
    remove: 'Remove limit',
    set: 'Set limit',
    raise: 'Raise limit',
    edit: 'Edit limit',
  },
}

interface EditedLimit {
  word: 'cap' | 'limit'
  /** The accessible name of the popover. */
  name: string
  label: string
  spentUsd: number
  /** Null for none. */
  limitUsd: number | null
  /** The hint below the field while the amount leaves something to spend. */
  hint: string
  /** The hint when the amount is below current spend. */
  stopsHint: string
  isWarning: boolean
  /** Resolves to a message that says what was saved. */
  save: (usd: number | null) => Promise<string>
}

function describeCap({ id, name, spendUsd: spentUsd, spendLimitUsd }: KeyMetadata): EditedLimit {
  return {
    word: 'cap',
    name: `Cap of ${isolate(name)}`,
    label: 'Spend cap (USD)',
    isWarning: false,
    spentUsd,
    limitUsd: spendLimitUsd,
    hint: `Lifetime cap; ${formatUsd(spentUsd)} spent so far.`,
    stopsHint:
      spentUsd > 0
        ? `This stops the key: it has already spent ${formatUsd(spentUsd)}. Raise the cap to continue.`
        : 'This stops the key. Raise the cap to continue.',
    async save(usd) {
      await updateKey(id, { spendLimitUsd: usd })
      return usd === null
        ? `${quoteName(name)} has no cap now.`
        : `The cap of ${quoteName(name)} is now ${formatUsd(usd)}.`
    },
  }
}

function describeMonth({ monthSpendUsd, monthlyLimitUsd, monthResetsAt, timeZone }: Account): EditedLimit {
  const resets = formatDay(monthResetsAt, Date.now(), timeZone)
  const spent = `${formatUsd(monthSpendUsd)} is already spent this month`
  return {
    word: 'limit',
    name: 'Monthly limit',
    label: 'Monthly limit (USD)',
    isWarning: false,
    spentUsd: monthSpendUsd,
    limitUsd: monthlyLimitUsd,
    hint: `For all keys together; ${formatUsd(monthSpendUsd)} spent this month. Resets on ${resets}.`,
    stopsHint: `This rejects the requests of every key until ${resets}: ${spent}.`,
    async save(usd) {
      await updateAccount({ monthlyLimitUsd: usd })
      return usd === null ? 'Monthly limit removed.' : `The monthly limit is now ${formatUsd(usd)}.`
    },
  }
}

const REFUSED_RUNS: Readonly<Partial<Record<LimitKind['per'], string>>> = {
  session: 'Requests are refused once a session has cost this much. Other sessions continue.',
  subagent: 'Requests are refused once a sub-agent has cost this much. Its main agent and others continue.',
}

/** A limit in the list of a key, or of the account, which may not exist yet. */
export function describeListed(
  key: KeyMetadata | undefined,
  account: Account,
  kind: LimitKind,
  now: number,
): EditedLimit {
  const limits = (key ?? account).spendLimits
  const limit = limits.find((one) => isSameLimit(one, kind))
  const what = describeKind(kind)
  const spentUsd = limit?.spentUsd ?? 0
  const reset = limit ? describeReset(limit, now, account.timeZone) : ''
  return {
    word: 'limit',
    name: `Limit ${what}`,
    label: `Limit ${what} (USD)`,
    spentUsd,
    limitUsd: limit?.usd ?? null,
    isWarning: limit?.action === 'warn',
    hint: limit
      ? `${formatUsd(spentUsd)} spent${lastRun(kind)}${reset === '' ? '' : `, ${reset}`}.`
      : (REFUSED_RUNS[kind.per] ?? 'Requests are refused at this amount.'),
    stopsHint: `${formatUsd(spentUsd)} is already spent, so requests are refused${reset === '' ? '' : ` until it ${reset}`}.`,
    async save(usd) {
      // Errors name a limit by its place, so it keeps it.
      const changed = limits.flatMap((one) => {
        if (one !== limit) return [withoutState(one)]
        return usd === null ? [] : [{ ...withoutState(one), usd }]
      })
      const spendLimits = limit !== undefined || usd === null ? changed : [...changed, { ...kind, usd }]
      await (key ? updateKey(key.id, { spendLimits }) : updateAccount({ spendLimits }))
      return usd === null ? `There is no limit ${what} now.` : `The limit is now ${formatUsd(usd)} ${what}.`
    },
  }
}

/** Null until it has been read. */
function useLimit({ keyId, kind }: LimitRef): EditedLimit | null {
  const { data: keys } = useQuery(queries.keys)
  const { data: account } = useQuery(queries.account)
  const now = useNow()
  const key = keys?.find(({ id }) => id === keyId)
  if (account === undefined || (keyId !== null && key === undefined)) return null
  if (!isMainLimit({ keyId, kind })) return describeListed(key, account, kind, now)
  return key ? describeCap(key) : describeMonth(account)
}

const STEPS_USD = [1, 5, 20]

interface LimitFormProps extends LimitRef {
  onDone: () => void
}

function LimitForm({ onDone, ...ref }: LimitFormProps) {
  const limit = useLimit(ref)
  return limit && <AmountForm {...ref} limit={limit} onDone={onDone} />
}

/** Edits a spend limit, with steps that always leave something to spend. */
function AmountForm({ limit, keyId, kind, onDone }: LimitFormProps & { limit: EditedLimit }) {
  const { word, label, spentUsd, limitUsd, hint, stopsHint, isWarning, save } = limit
  const [text, setText] = useState(formatInput(limitUsd))
  const { pending, error, submit } = useSubmit()
  const amount = parseUsd(text)
  const stops = amount.ok && amount.usd !== null && amount.usd <= spentUsd
  const triedUsd = amount.ok && !stops && !isWarning && amount.usd !== limitUsd ? amount.usd : null
  const submitAmount = (usd: number | null) =>
    void submit(async () => {
      toast.success(await save(usd))
    }, onDone)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    // The form may be in a dialog that is rendered inside another form.
    event.stopPropagation()
    if (amount.ok) submitAmount(amount.usd)
  }
  const raise = (usd: number) => {
    const base = Math.max((amount.ok ? amount.usd : null) ?? 0, spentUsd)
    setText(formatInput(Math.round((base + usd) * 100) / 100))
  }
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      <TextField
        label={label}
        value={text}
        onChange={setText}
        autoFocus
        inputMode="decimal"
        placeholder={WORDS[word].none}
        hint={stops ? stopsHint : hint}
        error={amount.ok ? null : amount.message}
      />
      <Rehearsed
        trial={triedUsd === null ? null : { keyId, limit: { ...kind, usd: triedUsd } }}
        onDone={onDone}
      />
      <div className="flex gap-1.5">
        {STEPS_USD.map((usd) => (
          <Button key={usd} small onClick={() => raise(usd)} aria-label={`Raise by $${usd}`}>
            +${usd}
          </Button>
        ))}
      </div>
      <InlineError error={error} />
      <div className="flex justify-end gap-2">
        {limitUsd === null ? null : (
          <Button
            variant="quiet"
            disabled={pending}
            className="-ml-3 mr-auto"
            onClick={() => submitAmount(null)}
          >
            {WORDS[word].remove}
          </Button>
        )}
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" variant="primary" pending={pending} disabled={!amount.ok}>
          Save
        </Button>
      </div>
    </form>
  )
}

export interface LimitButtonProps extends Pick<LimitRef, 'keyId'> {
  /** By default the cap of the key, or the monthly limit. */
  kind?: LimitKind | undefined
  /** Looks like a link, in a line of text. */
  asLink?: boolean
}

/** Edits a limit. It is called "Raise cap" or "Raise limit" when that is reached, or nearly. */
export function LimitButton({ keyId, kind = mainKind(keyId), asLink = false }: LimitButtonProps) {
  const [open, setOpen] = useState(false)
  const ref = { keyId, kind }
  const limit = useLimit(ref)
  if (limit === null) return null
  const { word, limitUsd, spentUsd } = limit
  const isNear = limitUsd !== null && spentUsd >= limitUsd * CAP_WARN_FRACTION
  const label = WORDS[word][limitUsd === null ? 'set' : isNear ? 'raise' : 'edit']
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        {asLink ? (
          <button
            type="button"
            className="target shrink-0 rounded-sm font-medium text-accent-ink hover:underline"
          >
            {label}
          </button>
        ) : (
          <Button small>{label}</Button>
        )}
      </Popover.Trigger>
      <PopoverPanel align="end" aria-label={limit.name} className="w-80 p-4 text-left text-base text-ink">
        <AmountForm {...ref} limit={limit} onDone={() => setOpen(false)} />
      </PopoverPanel>
    </Popover.Root>
  )
}

/** Opened from outside the views, such as from a toast. */
export function LimitDialog() {
  const editing = useLimitDialog((state) => state.editing)
  const { data: keys } = useQuery(queries.keys)
  const { data: account } = useQuery(queries.account)
  if (editing === null) return null
  const { keyId, kind } = editing
  const key = keys?.find(({ id, revokedAt }) => id === keyId && revokedAt === null)
  if (account === undefined || (keyId !== null && key === undefined)) return null
  const title = !isMainLimit(editing) ? 'Limit' : key ? 'Cap' : 'Monthly limit'
  return (
    <Dialog open onClose={closeLimitDialog} title={key ? `${title} of ${quoteName(key.name)}` : title}>
      <LimitForm keyId={keyId} kind={kind} onDone={closeLimitDialog} />
    </Dialog>
  )
}
