import { Search } from 'lucide-react'

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
        className="h-7 w-full rounded-md border border-line-strong bg-surface pr-2 pl-7 text-sm placeholder:text-ink-3"
      />
    </div>
  )
}
