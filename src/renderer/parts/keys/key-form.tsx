import { type FormEvent, useId, useState } from 'react'
import { NO_KEY_OPTIONS } from '../../../shared/api/key-options.ts'
import type { KeyCreate, KeyCreated, KeyGuard, KeyMetadata } from '../../../shared/api/keys.ts'
import { createKey } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { Field, TextField } from '../../kit/field.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { Select } from '../../kit/select.tsx'
import { Switch } from '../../kit/switch.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { HelpHint } from '../help/help-hint.tsx'
import { DEFAULT_CAP_USD } from '../limits/default-cap.ts'
import { LimitRows } from '../limits/limit-list.tsx'
import { useAmountRehearsal } from '../limits/use-rehearsal.ts'
import { BoundsFields } from './bounds-fields.tsx'
import { type KeyDraft, type KeyFields, parseKeyDraft, toKeyDraft } from './key-draft.ts'
import { CapField, KeyNameField } from './name-and-cap.tsx'
import { NewSecret } from './new-secret.tsx'
import { scopeOptions } from './scopes.ts'

const GUARD_OPTIONS = [
  { value: 'on', label: 'Watches this key' },
  { value: 'allow-repeats', label: 'Allows equal prompts' },
  { value: 'off', label: 'Ignores this key' },
] as const satisfies { value: KeyGuard; label: string }[]

const STORE_OPTIONS = [
  { value: 'default', label: 'As in Settings', stored: null },
  { value: 'always', label: 'Always store', stored: true },
  { value: 'never', label: 'Never store', stored: false },
] as const

const COLUMNS = 'grid grid-cols-2 items-start gap-x-3 gap-y-4 max-sm:grid-cols-1'

interface KeyFormProps {
  initial: Parameters<typeof toKeyDraft>[0]
  /** Null for a new key. */
  record: KeyMetadata | null
  action: string
  save: (fields: KeyFields, draft: KeyDraft) => Promise<void>
  onClose: () => void
}

/** Creates or changes a key. A new one shows less, and its scope can be chosen. */
export function KeyForm({ initial, record, action, save, onClose }: KeyFormProps) {
  const [before] = useState(() => toKeyDraft(initial))
  const [draft, setDraft] = useState(before)
  const [tried, setTried] = useState(false)
  const { pending, error, submit } = useSubmit()
  const { mistakes, fields, capUsd } = parseKeyDraft(draft)
  const change = (part: Partial<KeyDraft>) => setDraft((now) => ({ ...now, ...part }))
  /** The value of a text field, and its mistake once it was changed or the form was submitted. */
  const field = (name: keyof typeof mistakes) => ({
    value: draft[name],
    onChange: (text: string) => change({ [name]: text }),
    error: tried || draft[name] !== before[name] ? mistakes[name] : null,
  })
  const rehearsal = useAmountRehearsal(
    record ? { keyId: record.id, who: record.name, kind: null } : undefined,
    record && capUsd !== record.spendLimitUsd ? capUsd : null,
  )
  const stops = record !== null && capUsd !== null && capUsd <= record.spendUsd
  const promise = draft.strict
    ? 'The most this key can ever spend.'
    : 'Requests stop once this is spent; the last one may go over it.'
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (fields) void submit(() => save(fields, draft))
  }
  const capField = (
    <CapField
      {...field('cap')}
      hint={
        record === null
          ? `${promise} Clear it for no cap; you can change it at any time.`
          : stops
            ? 'This stops the key: it has already spent as much.'
            : (rehearsal ?? `${promise} Leave it empty for no cap.`)
      }
    />
  )
  const bounds = (
    <div className={COLUMNS}>
      <BoundsFields draft={draft} onChange={change} />
      <div className="grid grid-cols-2 gap-3 sm:col-span-2 sm:grid-cols-3">
        <TextField {...field('rpm')} label="Requests per minute" inputMode="numeric" placeholder="Default" />
        <TextField {...field('tpm')} label="Tokens per minute" inputMode="numeric" placeholder="Default" />
        <TextField
          {...field('subagents')}
          label="Sub-agents at a time"
          inputMode="numeric"
          placeholder="Any"
        />
      </div>
      {record === null ? null : (
        <>
          <Field label="Prompts and answers">
            {({ id }) => (
              <Select
                label="Prompts and answers"
                id={id}
                options={STORE_OPTIONS}
                value={STORE_OPTIONS.find(({ stored }) => stored === draft.storeBodies)?.value ?? 'default'}
                onChange={(next) =>
                  change({ storeBodies: STORE_OPTIONS.find(({ value }) => value === next)?.stored ?? null })
                }
              />
            )}
          </Field>
          <Field label="Runaway guard">
            {({ id }) => (
              <Select
                label="Runaway guard"
                id={id}
                options={GUARD_OPTIONS}
                value={draft.guard}
                onChange={(guard) => change({ guard })}
              />
            )}
          </Field>
          {record.purpose === 'playground' ? null : (
            <CacheFields draft={draft} onChange={change} error={mistakes.cacheMb} />
          )}
        </>
      )}
    </div>
  )
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4">
      <div className={COLUMNS}>
        <KeyNameField {...field('name')} autoFocus placeholder={record ? '' : 'Laptop editor'} />
        {record ? (
          capField
        ) : (
          <Field label="Scope" hint={scopeOptions.find(({ value }) => value === draft.scope)?.hint}>
            {({ id }) => (
              <Select
                label="Scope"
                id={id}
                options={scopeOptions}
                value={draft.scope}
                onChange={(scope) => change({ scope })}
              />
            )}
          </Field>
        )}
      </div>
      {record ? null : capField}
      <Limits draft={draft} onChange={change} record={record} showMissing={tried} />
      <StrictField value={draft.strict} onChange={(strict) => change({ strict })} />
      {record ? (
        bounds
      ) : (
        <details className="group">
          <summary className="w-fit select-none rounded-sm font-medium text-ink-2 text-sm hover:text-ink">
            Project, end date, models and rate limits
          </summary>
          <div className="mt-3">{bounds}</div>
        </details>
      )}
      <InlineError error={error} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" pending={pending}>
          {action}
        </Button>
      </DialogActions>
    </form>
  )
}

interface LimitsProps {
  draft: KeyDraft
  onChange: (part: Partial<KeyDraft>) => void
  /** The key on whose past they are tried; null for a new key. */
  record: KeyMetadata | null
  /** Shows what is missing, also before it was typed. */
  showMissing: boolean
}

/** The limits of a key in addition to its lifetime cap. */
function Limits({ draft: { limits }, onChange, record, showMissing }: LimitsProps) {
  const headingId = useId()
  return (
    <section aria-labelledby={headingId} className="flex flex-col gap-2">
      <h3 id={headingId} className="font-medium text-ink-2 text-sm">
        Limits
      </h3>
      {limits.length === 0 ? (
        <p className="text-ink-3 text-sm">
          For a day, a week, a month, a session or a sub-agent, of all or some models.
        </p>
      ) : null}
      <LimitRows
        drafts={limits}
        onChange={(next) => onChange({ limits: next })}
        saved={record?.spendLimits ?? []}
        showMissing={showMissing}
        {...(record ? { rehearsed: { keyId: record.id, who: record.name } } : {})}
      />
    </section>
  )
}

/** Whether a key admits only requests that cannot exceed its limits. */
function StrictField({ value, onChange }: { value: boolean; onChange: (value: boolean) => void }) {
  const noteId = useId()
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="flex min-w-0 flex-col gap-1">
        <span className="font-medium text-ink-2 text-sm">
          Strict <HelpHint of="strict" />
        </span>
        <p id={noteId} className="text-ink-3 text-sm">
          A request is sent only if its highest possible cost fits. Answers may be shortened, and the cap and
          limits are never exceeded.
        </p>
      </div>
      <Switch label="Strict" on={value} onChange={onChange} describedBy={noteId} />
    </div>
  )
}

interface CreateKeyProps {
  onClose: () => void
  /** A name to start from, such as the tool the key is for. */
  suggestedName?: string
  onCreated?: (key: KeyCreated) => void
}

export function CreateKey({ onClose, suggestedName = '', onCreated }: CreateKeyProps) {
  const [created, setCreated] = useState<KeyCreated | null>(null)
  if (created) return <NewSecret created={created} connect={!onCreated} onClose={onClose} />
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Create key"
      description="Create one key for each tool, so that you can see what each one spends."
    >
      <KeyForm
        initial={{
          ...NO_KEY_OPTIONS,
          name: suggestedName,
          scope: 'completions-only',
          spendLimitUsd: DEFAULT_CAP_USD,
        }}
        record={null}
        action="Create key"
        save={async ({ name, ...options }, { scope }) => {
          const key = await createKey({ name, scope, ...onlyGiven(options) })
          setCreated(key)
          onCreated?.(key)
        }}
        onClose={onClose}
      />
    </Dialog>
  )
}

/** The options that a new key does not have anyway. */
function onlyGiven(options: Omit<KeyFields, 'name'>): Partial<KeyCreate> {
  const none: Readonly<Record<string, unknown>> = NO_KEY_OPTIONS
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(none[name])),
  )
}

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

interface CacheFieldsProps {
  draft: KeyDraft
  onChange: (part: Partial<KeyDraft>) => void
  error: string | null
}

/** The response cache of a key: how long answers are repeated, and their space. */
function CacheFields({ draft: { cacheSeconds, cacheMb }, onChange, error }: CacheFieldsProps) {
  const value = cacheSeconds === null ? OFF : String(cacheSeconds)
  const isOther = LIVES.every((each) => each.value !== value)
  const options = isOther ? [...LIVES, { value, label: `Repeat answers for ${value} seconds` }] : LIVES
  return (
    <>
      <Field
        label="Response cache"
        className={cacheSeconds === null ? 'sm:col-span-2' : ''}
        hint="An equal request with temperature 0 and without tools gets the stored answer, at no cost. For tests and evaluations."
      >
        {({ id }) => (
          <Select
            label="Response cache"
            id={id}
            options={options}
            value={value}
            onChange={(next) => onChange({ cacheSeconds: next === OFF ? null : Number(next) })}
          />
        )}
      </Field>
      {cacheSeconds === null ? null : (
        <TextField
          label="Space for answers (MB)"
          inputMode="numeric"
          value={cacheMb}
          onChange={(text) => onChange({ cacheMb: text })}
          error={error}
          hint="Those unused for the longest time are deleted first."
        />
      )}
    </>
  )
}
