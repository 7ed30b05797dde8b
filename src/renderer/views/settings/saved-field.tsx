import { type FormEvent, useEffect, useState } from 'react'
import { toast } from 'sonner'
import { Button } from '../../components/button.tsx'
import { Input } from '../../components/field.tsx'
import { useSubmit } from '../../use-submit.ts'

interface SavedFieldProps<T> {
  label: string
  /** The stored value as text. */
  stored: string
  placeholder?: string
  /** Parses the text; returns a string as the error message. */
  parse: (text: string) => { value: T } | string
  save: (value: T) => Promise<void>
  inputMode?: 'numeric' | 'decimal'
  list?: readonly string[]
}

/** A text setting with its own Save button. */
export function SavedField<T>({
  label,
  stored,
  placeholder,
  parse,
  save,
  inputMode,
  list,
}: SavedFieldProps<T>) {
  const [text, setText] = useState(stored)
  const { pending, error, submit, reset } = useSubmit()
  const [invalid, setInvalid] = useState<string | null>(null)
  const shownError = invalid ?? error?.message ?? null
  useEffect(() => setText(stored), [stored])

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const parsed = parse(text.trim())
    if (typeof parsed === 'string') return setInvalid(parsed)
    void submit(async () => {
      await save(parsed.value)
      toast.success(`${label} saved.`)
    })
  }

  const listId = list ? `list-${label.replaceAll(' ', '-')}` : undefined
  return (
    <form onSubmit={onSubmit} className="flex flex-col items-end gap-1">
      <div className="flex w-68 gap-2">
        <Input
          aria-label={label}
          aria-invalid={shownError !== null}
          value={text}
          list={listId}
          {...(placeholder ? { placeholder } : {})}
          {...(inputMode ? { inputMode } : {})}
          onChange={(event) => {
            setText(event.target.value)
            setInvalid(null)
            reset()
          }}
        />
        <Button
          type="submit"
          pending={pending}
          disabled={text.trim() === stored}
          aria-label={`Save ${label.toLowerCase()}`}
        >
          Save
        </Button>
      </div>
      {shownError ? (
        <p role="alert" className="max-w-64 text-right text-bad text-sm">
          {shownError}
        </p>
      ) : null}
      {list ? (
        <datalist id={listId}>
          {list.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      ) : null}
    </form>
  )
}
