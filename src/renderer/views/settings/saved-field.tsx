// Owns a setting that is typed: it is saved on Enter or with its button, and says what is wrong beside it.
import { type FormEvent, useEffect, useState } from 'react'
import { toast } from 'sonner'
import { toApiError } from '../../api-error.ts'
import { Button } from '../../components/button.tsx'
import { Input } from '../../components/field.tsx'

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
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  useEffect(() => setText(stored), [stored])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const outcome = read(text.trim())
    if (typeof outcome === 'string') return setError(outcome)
    setError(null)
    setPending(true)
    try {
      await save(outcome.value)
      toast.success(`${label} saved.`)
    } catch (thrown) {
      setError(toApiError(thrown).message)
    } finally {
      setPending(false)
    }
  }

  const listId = list ? `list-${label.replaceAll(' ', '-')}` : undefined
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col items-end gap-1">
      <div className="flex w-68 gap-2">
        <Input
          aria-label={label}
          aria-invalid={error !== null}
          value={text}
          list={listId}
          {...(placeholder ? { placeholder } : {})}
          {...(inputMode ? { inputMode } : {})}
          onChange={(event) => {
            setText(event.target.value)
            setError(null)
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
      {error ? (
        <p role="alert" className="max-w-64 text-right text-bad text-sm">
          {error}
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
