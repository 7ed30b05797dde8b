import { type ComponentProps, type ReactNode, useId } from 'react'
import { cn } from './cn.ts'

const controlClasses =
  'w-full rounded-md border border-line-strong bg-surface px-2.5 text-base text-ink placeholder:text-ink-3 disabled:opacity-60 aria-invalid:border-bad'

interface FieldProps {
  label: string
  hint?: ReactNode
  error?: string | null | undefined
  /** Renders the control with the attributes that connect it to its label and its note. */
  children: (attributes: {
    id: string
    'aria-describedby': string | undefined
    'aria-invalid': boolean
  }) => ReactNode
  className?: string
}

export function Field({ label, hint, error, children, className }: FieldProps) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className={cn('flex flex-col gap-1', className)}>
      <label htmlFor={id} className="font-medium text-ink-2 text-sm">
        {label}
      </label>
      {children({ id, 'aria-describedby': note ? `${id}-note` : undefined, 'aria-invalid': Boolean(error) })}
      {note ? (
        <p id={`${id}-note`} className={cn('text-sm', error ? 'text-bad' : 'text-ink-3')}>
          {note}
        </p>
      ) : null}
    </div>
  )
}

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return (
    <input autoComplete="off" spellCheck={false} className={cn(controlClasses, 'h-8', className)} {...rest} />
  )
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={cn(controlClasses, 'resize-none py-1.5', className)} {...rest} />
}

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'id' | 'className' | 'onChange' | 'value'> {
  label: string
  hint?: ReactNode
  error?: string | null | undefined
  value: string
  onChange: (value: string) => void
  className?: string
  mono?: boolean
}

/** A labeled one-line input. */
export function TextField({ label, hint, error, value, onChange, className, mono, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} {...(className ? { className } : {})}>
      {(attributes) => (
        <Input
          {...attributes}
          {...rest}
          className={mono ? 'font-mono text-sm' : ''}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
