import { Check, ChevronDown } from 'lucide-react'
import { Select as Base } from 'radix-ui'
import { useState } from 'react'
import { cn } from './cn.ts'

/**
 * Up to this many options are mounted while the list is closed, so that typing on the trigger selects one. Mounting more
 * takes too long.
 */
const MAX_MOUNTED_OPTIONS = 30

export interface Option<T extends string> {
  value: T
  label: string
  /** A second line in the list that explains the label. */
  hint?: string
}

interface SelectProps<T extends string> {
  label: string
  options: readonly Option<T>[]
  value: T
  onChange: (value: T) => void
  id?: string
  /** The id of a note, from `Field`. */
  'aria-describedby'?: string | undefined
  small?: boolean
  disabled?: boolean
  className?: string
}

/** A select for a few options; long lists use ModelPicker. */
export function Select<T extends string>({ label, options, value, onChange, ...rest }: SelectProps<T>) {
  const chosen = options.find((option) => option.value === value)
  const [open, setOpen] = useState(false)
  return (
    <Base.Root
      open={open}
      onOpenChange={setOpen}
      value={value}
      disabled={rest.disabled ?? false}
      onValueChange={(next) => {
        const option = options.find((other) => other.value === next)
        if (option) onChange(option.value)
      }}
    >
      <Base.Trigger
        id={rest.id}
        aria-label={rest.id ? undefined : label}
        aria-describedby={rest['aria-describedby']}
        className={cn(
          'inline-flex min-w-0 items-center justify-between gap-1.5 rounded-md border border-line-strong bg-surface text-ink hover:bg-sunken disabled:opacity-60',
          rest.small ? 'h-7 px-2 text-sm' : 'h-8 px-2.5 text-base',
          rest.className,
        )}
      >
        <span className="truncate">{chosen?.label ?? label}</span>
        <ChevronDown size={14} aria-hidden className="shrink-0 text-ink-3" />
      </Base.Trigger>
      {open || options.length <= MAX_MOUNTED_OPTIONS ? (
        <Base.Portal>
          <Base.Content
            position="popper"
            sideOffset={4}
            collisionPadding={8}
            className="z-50 max-h-(--radix-select-content-available-height) min-w-(--radix-select-trigger-width) max-w-96 animate-rise overflow-hidden rounded-lg border border-line bg-raised p-1 shadow-float"
          >
            <Base.Viewport>
              {options.map((option) => (
                <Base.Item
                  key={option.value}
                  value={option.value}
                  className="relative flex flex-col rounded-md py-1.5 pr-2 pl-7 outline-none data-highlighted:bg-highlight"
                >
                  <Base.ItemIndicator className="absolute top-2.5 left-2">
                    <Check size={13} aria-hidden />
                  </Base.ItemIndicator>
                  <Base.ItemText>{option.label}</Base.ItemText>
                  {option.hint ? <span className="text-ink-3 text-sm">{option.hint}</span> : null}
                </Base.Item>
              ))}
            </Base.Viewport>
          </Base.Content>
        </Base.Portal>
      ) : null}
    </Base.Root>
  )
}
