// Owns a setting that is typed: it is saved on Enter or with its button, and says what is wrong beside it.
import { type FormEvent, useEffect, useState } from 'react'
import { toast } from 'sonner'
import { Button } from '../../components/button.tsx'
import { Input } from '../../components/field.tsx'
import { useSubmit } from '../../use-submit.ts'

interface SavedFieldProps<T> {
  label: string
  /** The stored value, as it is typed. */
  stored: string
  placeholder?: string
  /** Reads what was typed; a string says what is wrong with it. */
  read: (text: string) => { value: T } | string
  save: (value: T) => Promise<void>
  inputMode?: 'numeric' | 'decimal'
  list?: readonly string[]
}

export function SavedField<T>({
  label,
  stored,
  placeholder,
  read,
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
    const outcome = read(text.trim())
    if (typeof outcome === 'string') return setInvalid(outcome)
    void submit(async () => {
      await save(outcome.value)
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
