// A form is a zod schema of what is typed: its `meta` says how each field looks, its output is what is saved.

import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { z } from 'zod'
import { Button } from './button.tsx'
import { cn } from './cn.ts'
import { Switch } from './controls.tsx'
import { DialogActions } from './dialog.tsx'
import { Field, TextArea, TextField } from './field.tsx'
import { InlineError } from './notice.tsx'
import { type Option, Select } from './select.tsx'
import { useSubmit } from './use-submit.ts'

interface FieldLook {
  label?: string
  hint?: ReactNode
  placeholder?: string | undefined
  /** Makes it a list to choose from. */
  options?: readonly Option<string>[]
  /** Makes it an area of so many lines. */
  rows?: number
  mono?: boolean
  inputMode?: 'decimal' | 'numeric'
  maxLength?: number
}

declare module 'zod' {
  interface GlobalMeta extends FieldLook {}
}

interface FieldOptions extends FieldLook {
  autoFocus?: boolean
  disabled?: boolean
  className?: string
}

/**
 * The state of a form. A mistake is shown once its field was changed or the form was submitted, and with `late` only then. An
 * error of the gateway is shown at the field that its `param` names.
 */
export function useForm<Schema extends z.ZodObject>(
  schema: Schema,
  getInitial: () => z.input<Schema>,
  { late = false } = {},
): FormState<Schema> {
  const [start] = useState(getInitial)
  const [draft, setDraft] = useState(start)
  const [tried, setTried] = useState(false)
  const submission = useSubmit()
  const parsed = schema.safeParse(draft)
  const issues = parsed.success ? [] : parsed.error.issues
  const change = (part: Partial<z.input<Schema>>) => {
    setDraft((current) => ({ ...current, ...part }))
    if (!submission.pending) submission.reset()
  }
  const param = submission.error?.param ?? null
  const wrongField = param === null ? null : findField(schema, param)
  const getError = (...path: [FieldName<Schema>, ...string[]]) => {
    const [name] = path
    if (wrongField === name) return submission.error?.message ?? null
    if (!tried && (late || draft[name] === start[name])) return null
    return issues.find((issue) => path.every((part, at) => String(issue.path[at]) === part))?.message ?? null
  }
  return {
    ...submission,
    draft,
    tried,
    values: parsed.success ? parsed.data : null,
    isFieldError: wrongField !== null,
    change,
    getError,
    onSubmit: (save, onSaved) => (event) => {
      event.preventDefault()
      // A dialog inside another form is in the same tree of React.
      event.stopPropagation()
      setTried(true)
      if (parsed.success) void submission.submit(() => save(parsed.data), onSaved)
    },
    field: (name, options) => (
      <FormField
        look={{ ...schema.shape[name]?.meta(), ...options }}
        value={draft[name]}
        error={getError(name)}
        onChange={(value) => change({ [name]: value } as Partial<z.input<Schema>>)}
      />
    ),
  }
}

type FieldName<Schema extends z.ZodObject> = keyof Schema['shape'] & string

export interface FormState<Schema extends z.ZodObject> extends ReturnType<typeof useSubmit> {
  draft: z.input<Schema>
  /** Whether it was submitted. */
  tried: boolean
  /** The output of the schema; null while something is wrong. */
  values: z.output<Schema> | null
  /** Whether the gateway's error is shown at a field. */
  isFieldError: boolean
  change: (part: Partial<z.input<Schema>>) => void
  /** The mistake to show at a field, or at a part of it. */
  getError: (name: FieldName<Schema>, ...path: string[]) => string | null
  /** Handles the event of a form; `onSaved` as that of `useSubmit`. */
  onSubmit: <Result>(
    save: (values: z.output<Schema>) => Promise<Result>,
    onSaved?: (result: Result) => void,
  ) => (event: FormEvent) => void
  /** A field as its schema describes it; the options come before the description. */
  field: (name: FieldName<Schema>, options?: FieldOptions) => ReactNode
}

/**
 * The field for a `param` of an error, such as `pricing.inputPerMillion` or `credentials[0]`. Fields without a label do not show
 * errors.
 */
function findField(schema: z.ZodObject, param: string): string | null {
  const names = param.split(/[.[]/).flatMap((name) => [name, name.replace(/s$/, '')])
  return names.find((name) => schema.shape[name]?.meta()?.label) ?? null
}

interface FormProps<Schema extends z.ZodObject, Result> {
  form: FormState<Schema>
  /** The label of the button that saves. */
  action: string
  /** Whether nothing can be saved, whatever is typed. */
  disabled?: boolean
  save: (values: z.output<Schema>) => Promise<Result>
  onSaved?: (result: Result) => void
  onClose?: () => void
  /** Buttons before "Cancel", or in its place if `onClose` is missing. */
  buttons?: ReactNode
  /** Stays visible with the buttons. */
  above?: ReactNode
  className?: string
  children: ReactNode
}

/** The fields of a form, the error that belongs to none of them, and its buttons. */
export function Form<Schema extends z.ZodObject, Result>({
  form,
  action,
  disabled = false,
  save,
  onSaved,
  onClose,
  buttons,
  above,
  className,
  children,
}: FormProps<Schema, Result>) {
  return (
    <form onSubmit={form.onSubmit(save, onSaved)} className={cn('flex flex-col gap-4', className)}>
      {children}
      <InlineError error={form.isFieldError ? null : form.error} />
      <DialogActions above={above}>
        {buttons}
        {onClose ? <Button onClick={onClose}>Cancel</Button> : null}
        <Button type="submit" variant="primary" pending={form.pending} disabled={disabled}>
          {action}
        </Button>
      </DialogActions>
    </form>
  )
}

interface FormFieldProps {
  look: FieldOptions
  value: unknown
  error: string | null
  onChange: (value: string | boolean) => void
}

export function FormField({ look, value, error, onChange }: FormFieldProps) {
  const { label = '', hint, className, options, rows, mono, ...rest } = look
  if (typeof value === 'boolean')
    return <SwitchField label={label} hint={hint} on={value} error={error} onChange={onChange} />
  const text = typeof value === 'string' ? value : ''
  const shared = { label, hint, error, ...(className ? { className } : {}) }
  if (options) {
    return (
      <Field {...shared}>
        {({ id }) => <Select id={id} label={label} options={options} value={text} onChange={onChange} />}
      </Field>
    )
  }
  const { inputMode, placeholder, maxLength, autoFocus, disabled } = rest
  const attributes = { inputMode, placeholder, maxLength, autoFocus, disabled }
  if (rows === undefined)
    return <TextField {...shared} {...attributes} value={text} mono={mono ?? false} onChange={onChange} />
  return (
    <Field {...shared}>
      {(ids) => (
        <TextArea
          {...ids}
          {...attributes}
          rows={rows}
          spellCheck={!mono}
          value={text}
          onChange={({ target }) => onChange(target.value)}
          className={mono ? 'shrink-0 font-mono text-sm' : 'shrink-0'}
        />
      )}
    </Field>
  )
}

interface SwitchFieldProps {
  label: string
  hint?: ReactNode
  on: boolean
  error: string | null
  onChange: (on: boolean) => void
}

function SwitchField({ label, hint, on, error, onChange }: SwitchFieldProps) {
  const noteId = useId()
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center justify-between gap-4">
        <span className="font-medium text-ink-2 text-sm">{label}</span>
        <Switch label={label} on={on} onChange={onChange} describedBy={noteId} />
      </div>
      <div id={noteId} className="text-ink-3 text-sm">
        {hint}
      </div>
      {error ? (
        <p role="alert" className="text-bad text-sm">
          {error}
        </p>
      ) : null}
    </div>
  )
}
