import { X } from 'lucide-react'
import { useId, useState } from 'react'
import { Rehearsed } from '../../../features/rules/view/rehearsal.tsx'
import { NO_KEY_OPTIONS } from '../../../shared/api/key-options.ts'
import type { KeyCreate, KeyCreated, KeyMetadata, Scope } from '../../../shared/api/keys.ts'
import { mainKind } from '../../../shared/limits/limits.ts'
import { dayName, dayStart, systemTimeZone } from '../../../shared/values/calendar.ts'
import { addDays } from '../../data/date-range.ts'
import { useEnabledModels, useTimeZone } from '../../data/hooks.ts'
import { createKey } from '../../data/mutations.ts'
import { Switch } from '../../kit/controls.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Field, Input } from '../../kit/field.tsx'
import { Form, type FormState, useForm } from '../../kit/form.tsx'
import { formatMoment } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { parseUsd } from '../../kit/number-input.ts'
import { Select } from '../../kit/select.tsx'
import { useNow } from '../../kit/use-now.ts'
import { HelpHint } from '../help/help-hint.tsx'
import { DEFAULT_CAP_USD } from '../limits/default-cap.ts'
import { LimitRows } from '../limits/limit-list.tsx'
import { describeModels, ModelPatternPicker, matchingModels } from '../limits/model-pattern-picker.tsx'
import {
  type EditableKey,
  isCacheOn,
  KeyDraft,
  type KeyFields,
  listCacheLives,
  scopeOptions,
  toKeyDraft,
  toKeyFields,
} from './key-draft.ts'
import { NewSecret } from './new-secret.tsx'

const COLUMNS = 'grid grid-cols-2 items-start gap-x-3 gap-y-4 max-sm:grid-cols-1'

interface KeyFormProps {
  initial: EditableKey
  /** Null for a new key. */
  record: KeyMetadata | null
  action: string
  save: (fields: KeyFields, scope: Scope) => Promise<void>
  onClose: () => void
}

/** Creates or changes a key. A new one shows less, and its scope can be chosen. */
export function KeyForm({ initial, record, action, save, onClose }: KeyFormProps) {
  const form = useForm(KeyDraft, () => toKeyDraft(initial))
  const { draft } = form
  const capField = <Cap form={form} record={record} />
  const limits = (
    <>
      <Limits form={form} record={record} />
      <StrictField value={draft.strict} onChange={(strict) => form.change({ strict })} />
    </>
  )
  const bounds = (
    <div className={COLUMNS}>
      {form.field('tag')}
      <EndDateField value={draft.expiresAt} onChange={(expiresAt) => form.change({ expiresAt })} />
      <AllowedModels
        chosen={draft.allowedModels}
        onChange={(allowedModels) => form.change({ allowedModels: [...allowedModels] })}
      />
      <div className="grid grid-cols-2 gap-3 sm:col-span-2 sm:grid-cols-3">
        {form.field('rpmLimit')}
        {form.field('tpmLimit')}
        {form.field('maxSubagents')}
      </div>
    </div>
  )
  return (
    <Form
      form={form}
      action={action}
      save={(values) => save(toKeyFields(values), values.scope)}
      onClose={onClose}
    >
      {record ? (
        <>
          <div className={COLUMNS}>
            {form.field('name', { autoFocus: true })}
            {capField}
          </div>
          {limits}
          {bounds}
          <div className={COLUMNS}>
            {form.field('storeBodies')}
            {form.field('guard')}
            {form.field('secretsInPrompts')}
            {record.purpose === 'playground'
              ? null
              : form.field('cacheLife', {
                  options: listCacheLives(draft),
                })}
            {isCacheOn(draft) ? form.field('cacheMb') : null}
          </div>
        </>
      ) : (
        <>
          <div className={COLUMNS}>
            {form.field('name', { autoFocus: true, placeholder: 'Laptop editor' })}
            {form.field('scope', { hint: scopeOptions.find(({ value }) => value === draft.scope)?.hint })}
          </div>
          {capField}
          {limits}
          <details className="group">
            <summary className="w-fit select-none rounded-sm font-medium text-ink-2 text-sm hover:text-ink">
              Project, end date, models and rate limits
            </summary>
            <div className="mt-3">{bounds}</div>
          </details>
        </>
      )}
    </Form>
  )
}

interface CapProps {
  form: FormState<typeof KeyDraft>
  /** Null for a new key. */
  record: KeyMetadata | null
}

function Cap({ form, record }: CapProps) {
  const { spendLimitUsd, strict } = form.draft
  const amount = parseUsd(spendLimitUsd)
  const capUsd = amount.ok ? amount.usd : null
  const isTried =
    record !== null && capUsd !== null && capUsd > record.spendUsd && capUsd !== record.spendLimitUsd
  return (
    <div className="flex flex-col gap-1">
      {form.field('spendLimitUsd', { hint: describeCap(capUsd, strict, record) })}
      <Rehearsed
        trial={isTried ? { keyId: record.id, limit: { ...mainKind(record.id), usd: capUsd } } : null}
      />
    </div>
  )
}

/** What the cap that is typed means for the key. */
function describeCap(capUsd: number | null, strict: boolean, record: KeyMetadata | null): string {
  const promise = strict
    ? 'The most this key can ever spend.'
    : 'Requests stop once this is spent; the last one may go over it.'
  if (record === null) return `${promise} Clear it for no cap; you can change it at any time.`
  if (capUsd !== null && capUsd <= record.spendUsd) return 'This stops the key: it has already spent as much.'
  return `${promise} Leave it empty for no cap.`
}

interface LimitsProps {
  form: FormState<typeof KeyDraft>
  /** The key on whose past they are tried; null for a new key. */
  record: KeyMetadata | null
}

/** The limits of a key in addition to its lifetime cap. */
function Limits({ form: { draft, change, tried }, record }: LimitsProps) {
  const headingId = useId()
  return (
    <section aria-labelledby={headingId} className="flex flex-col gap-2">
      <h3 id={headingId} className="font-medium text-ink-2 text-sm">
        Limits
      </h3>
      {draft.spendLimits.length === 0 ? (
        <p className="text-ink-3 text-sm">
          For a day, a week, a month, a session or a sub-agent, of all or some models.
        </p>
      ) : null}
      <LimitRows
        drafts={draft.spendLimits}
        onChange={(spendLimits) => change({ spendLimits })}
        saved={record?.spendLimits ?? []}
        showMissing={tried}
        {...(record ? { keyId: record.id } : {})}
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

interface AllowedModelsProps {
  /** Ids and patterns; an empty list allows all models. */
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}

function AllowedModels({ chosen, onChange }: AllowedModelsProps) {
  const models = useEnabledModels()
  const allowed = matchingModels(models, chosen)
  return (
    <Field
      label="Allowed models"
      className="sm:col-span-2"
      hint={
        chosen.length === 0
          ? 'Choose models, or type a pattern such as claude-*, to refuse all others.'
          : `Allows ${describeModels(allowed)}. All others are refused.`
      }
    >
      {({ id }) => (
        <>
          <ModelPatternPicker id={id} label="Allowed models" chosen={chosen} onChange={onChange} />
          {chosen.length < 2 ? null : (
            <ul className="flex flex-wrap gap-1.5 pt-1">
              {chosen.map((model) => (
                <li
                  key={model}
                  className="flex h-7 max-w-full items-center rounded-md bg-sunken pl-2 font-mono text-sm"
                >
                  <span className="truncate">{model}</span>
                  {model.includes('*') ? (
                    <span className="shrink-0 pl-2 font-sans text-ink-3">
                      {matchingModels(models, [model]).length}
                      <span className="sr-only"> models</span>
                    </span>
                  ) : null}
                  <IconButton
                    small
                    label={`Remove ${model}`}
                    icon={X}
                    onClick={() => onChange(chosen.filter((other) => other !== model))}
                  />
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Field>
  )
}

const DAY_MS = 86_400_000
const CHOICES = [
  { value: 'none', label: 'None' },
  { value: 'day', label: 'In 1 day' },
  { value: 'week', label: 'In 1 week' },
  { value: 'date', label: 'On a date' },
] as const
type Choice = (typeof CHOICES)[number]['value']

interface EndDateFieldProps {
  /** The date in ISO 8601; null for none. */
  value: string | null
  onChange: (value: string | null) => void
}

/** When a key ends. After a date is: at the end of that day. */
function EndDateField({ value, onChange }: EndDateFieldProps) {
  const [choice, setChoice] = useState<Choice>(value === null ? 'none' : 'date')
  const now = useNow()
  const zone = useTimeZone() ?? systemTimeZone()
  const isPast = value !== null && Date.parse(value) <= now
  const choose = (next: Choice) => {
    setChoice(next)
    if (next === 'none') onChange(null)
    else if (next === 'day') onChange(new Date(now + DAY_MS).toISOString())
    else onChange(new Date(now + 7 * DAY_MS).toISOString())
  }
  const setDay = (day: string) => {
    if (day !== '') onChange(new Date(dayStart(addDays(day, 1), zone)).toISOString())
  }
  return (
    <Field
      label="End date"
      hint={
        value === null
          ? 'The key works until you revoke it.'
          : isPast
            ? 'This key has expired. Requests with it are rejected.'
            : `The key works until ${formatMoment(value, zone).slice(0, -3)}. Then requests with it are rejected.`
      }
    >
      {({ id }) => (
        <div className="flex gap-2">
          <Select
            label="End date"
            id={id}
            value={choice}
            options={CHOICES}
            onChange={choose}
            className="min-w-0 flex-1"
          />
          {choice === 'date' && value !== null ? (
            <div className="w-36 shrink-0">
              <Input
                type="date"
                aria-label="Last day"
                value={dayName(Date.parse(value) - 1, zone)}
                min={dayName(now, zone)}
                onChange={(event) => setDay(event.target.value)}
              />
            </div>
          ) : null}
        </div>
      )}
    </Field>
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
        save={async ({ name, ...options }, scope) => {
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
