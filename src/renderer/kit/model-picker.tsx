import { Command } from 'cmdk'
import { Check, ChevronsUpDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type ReactNode, useId, useState } from 'react'
import type { ModelRecord } from '../../shared/api/models.ts'
import { cn } from './cn.ts'
import { formatRate } from './format.ts'
import { PopoverPanel } from './popover-panel.tsx'

interface ModelPickerProps {
  models: readonly ModelRecord[]
  value: string
  onChange: (id: string) => void
  className?: string
  /** The accessible name of the control. */
  label?: string
  placeholder?: string
}

export function ModelPicker({
  models,
  value,
  onChange,
  className,
  label = 'Model',
  placeholder = 'Choose a model',
}: ModelPickerProps) {
  const [open, setOpen] = useState(false)
  const listId = useId()
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button
          type="button"
          role="combobox"
          aria-expanded={open}
          aria-controls={open ? listId : undefined}
          aria-label={label}
          className={cn(
            'inline-flex h-8 min-w-0 items-center justify-between gap-2 rounded-md border border-line-strong bg-surface px-2.5 hover:bg-sunken',
            className,
          )}
        >
          <span className="truncate">{value || placeholder}</span>
          <ChevronsUpDown size={13} aria-hidden className="shrink-0 text-ink-3" />
        </button>
      </Popover.Trigger>
      <PopoverPanel align="start" className="w-96 overflow-hidden">
        <Command loop defaultValue={value} label={label}>
          <Command.Input
            autoFocus
            placeholder="Search models"
            className="h-9 w-full border-line border-b bg-transparent px-3 outline-none placeholder:text-ink-3"
          />
          <Command.List id={listId} className="max-h-72 overflow-y-auto p-1">
            <NothingFound>No matching model.</NothingFound>
            {models.map((model) => (
              <Command.Item
                key={model.id}
                value={model.id}
                keywords={[model.name, model.provider]}
                onSelect={() => {
                  onChange(model.id)
                  setOpen(false)
                }}
                className="flex items-center gap-2 rounded-md px-2 py-1.5 data-[selected=true]:bg-highlight"
              >
                <Check
                  size={13}
                  aria-hidden
                  className={model.id === value ? 'shrink-0' : 'invisible shrink-0'}
                />
                <span className="min-w-0 flex-1 truncate">{model.id}</span>
                <span className="shrink-0 text-ink-3 text-sm">
                  {model.pricing
                    ? `${formatRate(model.pricing.inputPerMillion)} / ${formatRate(model.pricing.outputPerMillion)}`
                    : 'no price'}
                </span>
              </Command.Item>
            ))}
          </Command.List>
        </Command>
      </PopoverPanel>
    </Popover.Root>
  )
}

/**
 * What a searched list shows without a match. It is a disabled option, because screen readers do not announce a listbox
 * without options.
 */
export function NothingFound({ children }: { children: ReactNode }) {
  return (
    <Command.Empty>
      {/* biome-ignore lint/a11y/useFocusableInteractive: the search field keeps the focus */}
      <div role="option" aria-disabled aria-selected={false} className="px-3 py-8 text-center text-ink-3">
        {children}
      </div>
    </Command.Empty>
  )
}
