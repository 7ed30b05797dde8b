import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'

interface SearchFieldProps {
  /** The accessible name, and the placeholder unless it has its own. */
  label: string
  placeholder?: string
  value: string
  onChange: (value: string) => void
}

/** The search of a list, in the bar of its filters. */
export function SearchField({ label, placeholder = label, value, onChange }: SearchFieldProps) {
  return (
    <div className="relative min-w-28 max-w-72 flex-1">
      <Search size={13} aria-hidden className="absolute top-[7px] left-2 text-ink-3" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={moveToList}
        className="h-7 w-full rounded-md border border-line-strong bg-surface pr-2 pl-7 text-sm placeholder:text-ink-3"
      />
    </div>
  )
}

const PAUSE_MS = 250

/** Changes the value once the user pauses, for a search that the gateway does. */
export function PausedSearchField({ value, onChange, ...rest }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const latest = useRef({ value, onChange })
  useEffect(() => {
    latest.current = { value, onChange }
  })
  useEffect(() => setText(value), [value])
  useEffect(() => {
    const timer = setTimeout(() => {
      const now = latest.current
      if (text.trim() !== now.value.trim()) now.onChange(text)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return <SearchField {...rest} value={text} onChange={setText} />
}

/** The elements of a list that can have the focus: its row in the tab order, or a control in its first row. */
const IN_LIST = 'tbody :is(a[href], button:enabled, input:enabled, [tabindex="0"])'

/** The down arrow moves from the search to the list that it searches. */
function moveToList(event: KeyboardEvent<HTMLInputElement>): void {
  if (event.key !== 'ArrowDown' || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const field = event.currentTarget
  const around = field.closest('main, [role=dialog]') ?? document.body
  const first = [...around.querySelectorAll<HTMLElement>(IN_LIST)].find(
    (element) => field.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING,
  )
  if (!first) return
  event.preventDefault()
  first.focus()
}

/** Whether each word of a search is in the text, whatever their case. */
export function includesWords(text: string, search: string): boolean {
  const where = text.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => where.includes(word))
}
