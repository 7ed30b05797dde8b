import { type FormEvent, useState } from 'react'
import { toast } from 'sonner'
import { Link } from 'wouter'
import { type KeyGuard, type KeyMetadata, KeyName } from '../../../shared/api/keys.ts'
import { updateKey } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { CopyIconButton } from '../../kit/copy.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { formatOver, formatUsd } from '../../kit/format.ts'
import { Money } from '../../kit/money.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { parseUsd } from '../../kit/number-input.ts'
import { quoteName } from '../../kit/quote-name.ts'
import { Select } from '../../kit/select.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'
import { BoundsFields, SpendLimitFields } from '../../parts/keys/bounds-fields.tsx'
import { parseBounds, useKeyBounds } from '../../parts/keys/key-bounds.ts'
import { LimitFields, parseLimits } from '../../parts/keys/limit-fields.tsx'
import { CapField, KeyNameField } from '../../parts/keys/name-and-cap.tsx'
import { scopeLabel } from '../../parts/keys/scopes.ts'
import { capHint, StrictField } from '../../parts/keys/strict-field.tsx'
import { useAmountRehearsal } from '../../parts/limits/use-amount-rehearsal.ts'
import { PausedKey } from '../../parts/pausing/paused-key.tsx'
import { formatSecretHint } from './key-facts.ts'

interface KeyDetailsProps {
  record: KeyMetadata
  onClose: () => void
  onRevoke: () => void
}

/** The details of a key, and, unless it is revoked, the form that changes it. */
export function KeyDetails({ record, onClose, onRevoke }: KeyDetailsProps) {
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={record.name}
      {...(record.revokedAt === null
        ? {}
        : { description: 'This key is revoked. Requests with it are rejected, and it cannot be restored.' })}
    >
      <div className="flex flex-col gap-5">
        {record.revokedAt === null ? <PausedKey record={record} onRevoke={onRevoke} /> : null}
        <Facts record={record} />
        {record.revokedAt === null ? <KeyForm record={record} onClose={onClose} /> : null}
      </div>
    </Dialog>
  )
}

function Facts({ record }: { record: KeyMetadata }) {
  const over = record.spendLimitUsd === null ? null : formatOver(record.spendUsd, record.spendLimitUsd)
  const secret = formatSecretHint(record)
  return (
    <div className="rounded-lg bg-sunken px-3.5 py-3">
      <dl className="grid grid-cols-[88px_1fr] items-baseline gap-y-1 [&>dt]:text-ink-3">
        {record.purpose === 'playground' ? (
          <>
            <dt>Use</dt>
            <dd>For the chats of the playground. It has no secret.</dd>
          </>
        ) : null}
        {secret ? (
          <>
            <dt>Secret</dt>
            <dd className="font-mono text-sm">{secret}</dd>
          </>
        ) : null}
        <dt>Scope</dt>
        <dd>{scopeLabel(record.scope)}</dd>
        <dt>Spent</dt>
        <dd>
          <Money usd={record.spendUsd} />
          {over === null ? '' : `, ${over} the cap of ${formatUsd(record.spendLimitUsd ?? 0)}`}
          {record.reservedUsd > 0 ? `, ${formatUsd(record.reservedUsd)} reserved` : ''}
        </dd>
        {record.strict ? (
          <>
            <dt>Strict</dt>
            <dd>Yes</dd>
          </>
        ) : null}
        <dt>Last used</dt>
        <dd>{record.lastUsedAt ? <RelativeTime iso={record.lastUsedAt} /> : 'Never'}</dd>
        <dt>Created</dt>
        <dd>
          <RelativeTime iso={record.createdAt} />
        </dd>
        {record.revokedAt === null ? null : (
          <>
            <dt>Revoked</dt>
            <dd>
              <RelativeTime iso={record.revokedAt} />
            </dd>
          </>
        )}
        <dt>ID</dt>
        <dd className="-my-1 flex min-w-0 items-center gap-1">
          <span className="truncate font-mono text-sm">{record.id}</span>
          <CopyIconButton text={record.id} label="Copy key ID" />
        </dd>
      </dl>
      <p className="mt-2 flex gap-4 font-medium text-accent-ink text-sm [&>a:hover]:underline">
        <Link href={`/requests?key=${record.id}`}>View requests</Link>
        <Link href={`/usage?key=${record.id}`}>View usage</Link>
      </p>
    </div>
  )
}

const shown = (value: number | null) => (value === null ? '' : String(value))

function KeyForm({ record, onClose }: { record: KeyMetadata; onClose: () => void }) {
  const [name, setName] = useState(record.name)
  const [cap, setCap] = useState(shown(record.spendLimitUsd))
  const [strict, setStrict] = useState(record.strict)
  const [texts, setTexts] = useState({ rpm: shown(record.rpmLimit), tpm: shown(record.tpmLimit) })
  const [bounds, setBounds] = useKeyBounds(record)
  const [storeBodies, setStoreBodies] = useState(record.storeBodies)
  const [guard, setGuard] = useState(record.guard)
  const [tried, setTried] = useState(false)
  const { pending, error, submit } = useSubmit()
  const amount = parseUsd(cap)
  const limits = parseLimits(texts)
  const parsedBounds = parseBounds(bounds)
  const rehearsal = useAmountRehearsal(
    { keyId: record.id, who: record.name, kind: null },
    amount.ok && amount.usd !== record.spendLimitUsd ? amount.usd : null,
  )
  const nameIsGood = KeyName.safeParse(name.trim()).success
  const stops = amount.ok && amount.usd !== null && amount.usd <= record.spendUsd

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!nameIsGood || !amount.ok || !limits.ok || parsedBounds === null) return
    const { rpmLimit, tpmLimit } = limits
    const rates = { rpmLimit, tpmLimit, guard }
    const update = {
      name: name.trim(),
      spendLimitUsd: amount.usd,
      strict,
      ...rates,
      storeBodies,
      ...parsedBounds,
    }
    void submit(async () => {
      await updateKey(record.id, update)
      toast.success(`${quoteName(update.name)} was saved.`)
    }, onClose)
  }

  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4">
      <div className="grid grid-cols-2 items-start gap-x-3 gap-y-4 max-sm:grid-cols-1">
        <KeyNameField
          value={name}
          onChange={setName}
          autoFocus
          error={nameIsGood ? null : 'Enter a name of 1 to 100 characters.'}
        />
        <CapField
          value={cap}
          onChange={setCap}
          hint={
            stops
              ? 'This stops the key: it has already spent as much.'
              : (rehearsal ?? `${capHint(strict)} Leave it empty for no cap.`)
          }
          error={amount.ok ? null : amount.message}
        />
      </div>
      <SpendLimitFields
        value={bounds}
        onChange={setBounds}
        saved={record.spendLimits}
        showMissing={tried}
        record={record}
      />
      <StrictField value={strict} onChange={setStrict} />
      <div className="grid grid-cols-2 items-start gap-x-3 gap-y-4 max-sm:grid-cols-1">
        <BoundsFields value={bounds} onChange={setBounds} />
        <div className="sm:col-span-2">
          <LimitFields value={texts} onChange={setTexts} />
        </div>
        <StoreBodiesField value={storeBodies} onChange={setStoreBodies} />
        <GuardField value={guard} onChange={setGuard} />
      </div>
      <InlineError error={error} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          pending={pending}
          disabled={!nameIsGood || !amount.ok || !limits.ok}
        >
          Save
        </Button>
      </DialogActions>
    </form>
  )
}

const GUARD_OPTIONS = [
  { value: 'on', label: 'Watches this key' },
  { value: 'allow-repeats', label: 'Allows equal prompts' },
  { value: 'off', label: 'Ignores this key' },
] as const satisfies { value: KeyGuard; label: string }[]

/** The triggers of a key's runaway guard. */
function GuardField({ value, onChange }: { value: KeyGuard; onChange: (value: KeyGuard) => void }) {
  return (
    <Field label="Runaway guard">
      {({ id }) => (
        <Select label="Runaway guard" id={id} options={GUARD_OPTIONS} value={value} onChange={onChange} />
      )}
    </Field>
  )
}

const STORE_OPTIONS = [
  { value: 'default', label: 'As in Settings', stored: null },
  { value: 'always', label: 'Always store', stored: true },
  { value: 'never', label: 'Never store', stored: false },
] as const

interface StoreBodiesFieldProps {
  value: KeyMetadata['storeBodies']
  onChange: (value: KeyMetadata['storeBodies']) => void
}

/** Whether the contents of a key's requests are stored. */
function StoreBodiesField({ value, onChange }: StoreBodiesFieldProps) {
  const chosen = STORE_OPTIONS.find(({ stored }) => stored === value) ?? STORE_OPTIONS[0]
  return (
    <Field label="Prompts and answers">
      {({ id }) => (
        <Select
          label="Prompts and answers"
          id={id}
          options={STORE_OPTIONS}
          value={chosen.value}
          onChange={(next) => onChange(STORE_OPTIONS.find((option) => option.value === next)?.stored ?? null)}
        />
      )}
    </Field>
  )
}
