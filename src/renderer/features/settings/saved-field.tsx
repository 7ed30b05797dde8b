import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useId, useState } from 'react'
import { saveWithUndo } from '../../data/save-with-undo.ts'
import { cn } from '../../kit/cn.ts'
import { ConfirmDialog } from '../../kit/dialog.tsx'
import { Input } from '../../kit/field.tsx'
import { useSubmit } from '../../kit/use-submit.ts'

interface SaveWarning {
  title: string
  text: ReactNode
  /** The label of the button that saves it anyway. */
  action: string
}

export interface SavedFieldProps<T> {
  label: string
  /** The stored value as text. */
  stored: string
  placeholder?: string
  /** Parses the text; returns a string as the error message. */
  parse: (text: string) => { value: T } | string
  save: (value: T) => Promise<void>
  /** A warning to confirm before a value is saved; null for none. */
  warn?: (value: T) => SaveWarning | null
  inputMode?: 'numeric' | 'decimal'
  /** Whether it is as wide as possible, for addresses. */
  wide?: boolean
  /** Values to choose from. The beginning of one is not reported as wrong while it is typed. */
  list?: readonly string[]
}

/** The draft of a setting: checked while it is typed, and saved when it is committed. */
function useDraft<T>({ label, stored, parse, save, warn, list = [] }: SavedFieldProps<T>) {
  /** The draft; null while it shows the stored value. */
  const [draft, setDraft] = useState<string | null>(null)
  const [typing, setTyping] = useState(false)
  const [confirming, setConfirming] = useState<{ value: T; warning: SaveWarning } | null>(null)
  const { pending, error, submit, reset } = useSubmit()

  // The draft, and why it was not saved, ends with the value that was stored then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: on each change of the stored value
  useEffect(() => {
    setDraft(null)
    reset()
  }, [stored, reset])

  const text = draft ?? stored
  const trimmed = text.trim()
  const changed = trimmed !== stored
  const parsed = changed ? parse(trimmed) : null
  const incomplete = typing && list.some((value) => value.toLowerCase().startsWith(trimmed.toLowerCase()))
  const invalid = typeof parsed === 'string' && !incomplete ? parsed : null
  const warning = parsed !== null && typeof parsed !== 'string' ? (warn?.(parsed.value) ?? null) : null

  const store = async (value: T) => {
    const previous = parse(stored)
    if (typeof previous === 'string') await save(value)
    else {
      const undo = () => save(previous.value)
      await saveWithUndo({ message: `${label} saved.`, save: () => save(value), undo })
    }
    setDraft(null)
  }
  const commit = () => {
    setTyping(false)
    if (!changed) setDraft(null)
    if (parsed === null || typeof parsed === 'string' || pending) return
    if (warning) setConfirming({ value: parsed.value, warning })
    else void submit(() => store(parsed.value))
  }
  const restore = () => {
    setConfirming(null)
    setDraft(null)
    reset()
  }
  const saveWhenLeft = useEffectEvent(() => {
    if (!warning && error === null) commit()
  })
  // A shortcut leaves the view without taking the focus from the field first.
  useEffect(() => () => saveWhenLeft(), [])
  const type = (next: string) => {
    setDraft(next)
    setTyping(true)
    reset()
  }
  const problem = invalid ?? error?.message ?? null
  return { text, changed, pending, problem, warning, confirming, type, commit, restore, store }
}

/** A text setting. It is checked while typing, and saved with Enter or when the focus leaves it. Escape restores it. */
export function SavedField<T>(props: SavedFieldProps<T>) {
  const { label, placeholder, inputMode, wide = false, list = [] } = props
  const { text, changed, pending, problem, warning, confirming, type, commit, restore, store } =
    useDraft(props)
  const id = useId()
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      // Else it would press the button of the dialog that opens.
      event.preventDefault()
      commit()
    }
    if (event.key === 'Escape' && changed) {
      event.stopPropagation()
      restore()
    }
  }
  return (
    <div className={cn('flex flex-col items-stretch gap-1', wide ? 'w-full' : 'w-52')}>
      <Input
        aria-label={label}
        aria-invalid={problem !== null}
        aria-busy={pending}
        aria-describedby={problem || warning ? `${id}-note` : undefined}
        value={text}
        list={list.length > 0 ? `${id}-list` : undefined}
        placeholder={placeholder}
        inputMode={inputMode}
        onChange={({ target }) => type(target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => confirming ?? commit()}
      />
      {problem !== null ? (
        <p id={`${id}-note`} role="alert" className="text-bad text-sm">
          {problem}
        </p>
      ) : warning ? (
        <p id={`${id}-note`} role="status" className="text-sm text-warn">
          {warning.text}
        </p>
      ) : null}
      {list.length > 0 ? (
        <datalist id={`${id}-list`}>
          {list.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      ) : null}
      {confirming ? (
        <ConfirmDialog
          open
          title={confirming.warning.title}
          description={confirming.warning.text}
          action={confirming.warning.action}
          onConfirm={() => store(confirming.value)}
          onClose={restore}
        />
      ) : null}
    </div>
  )
}
