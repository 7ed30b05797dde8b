import { Command, defaultFilter } from 'cmdk'
import { Check, ChevronsUpDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useId, useState } from 'react'
import type { ModelRecord } from '../../../shared/api/models.ts'
import { createMatcher } from '../../../shared/values/model-pattern.ts'
import { useEnabledModels } from '../../data/hooks.ts'
import { cn } from '../../kit/cn.ts'
import { formatQuantity } from '../../kit/format.ts'
import { NothingFound } from '../../kit/model-picker.tsx'
import { PopoverPanel } from '../../kit/popover-panel.tsx'

/** Before the value of the item for what is typed. No id begins so, as it has a space. */
const PATTERN = 'pattern '

interface ModelPatternPickerProps {
  /** The accessible name of the control. */
  label: string
  /** Ids or patterns; none for all models. */
  chosen: readonly string[]
  /** A further choice replaces the first. */
  single?: boolean
  onChange: (chosen: string[]) => void
  id?: string
  className?: string
}

/** Chooses models by their ids, or by patterns that are typed: `claude-*`. */
export function ModelPatternPicker({
  label,
  chosen,
  single = false,
  onChange,
  id,
  className,
}: ModelPatternPickerProps) {
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const listId = useId()
  const models = useEnabledModels()
  const ids = models.map((model) => model.id)
  const typed = text.trim()
  const isPattern = typed !== '' && !/\s/.test(typed) && !ids.includes(typed) && !chosen.includes(typed)
  const matching = typed.includes('*') ? matchingModels(models, [typed]) : null
  const toggle = (value: string) => {
    const others = chosen.filter((one) => one !== value)
    onChange(others.length < chosen.length ? others : single ? [value] : [...chosen, value])
    setText('')
    if (single) setOpen(false)
  }
  const shown = [...chosen.filter((one) => !ids.includes(one)), ...ids]
  return (
    <Popover.Root
      open={open}
      onOpenChange={(next) => {
        setOpen(next)
        setText('')
      }}
    >
      <Popover.Trigger asChild>
        <button
          type="button"
          id={id}
          role="combobox"
          aria-expanded={open}
          aria-controls={open ? listId : undefined}
          aria-label={`${label}: ${summarize(chosen)}`}
          className={cn(
            'inline-flex h-8 min-w-0 items-center justify-between gap-2 rounded-md border border-line-strong bg-surface px-2.5 hover:bg-sunken',
            className,
          )}
        >
          <span className="truncate">{summarize(chosen)}</span>
          <ChevronsUpDown size={13} aria-hidden className="shrink-0 text-ink-3" />
        </button>
      </Popover.Trigger>
      <PopoverPanel align="start" aria-label={label} className="w-80 overflow-hidden">
        <Command
          loop
          label={label}
          // A pattern comes before what it matches.
          filter={(value, search, keywords) =>
            matching ? rank(value, matching) : defaultFilter(value, search, keywords)
          }
        >
          <Command.Input
            autoFocus
            value={text}
            onValueChange={setText}
            placeholder="Search models, or type a pattern: claude-*"
            className="h-9 w-full border-line border-b bg-transparent px-3 outline-none placeholder:text-ink-3"
          />
          <Command.List id={listId} className="max-h-72 overflow-y-auto p-1">
            {isPattern ? (
              <Command.Item
                forceMount
                value={PATTERN + typed}
                keywords={[typed]}
                onSelect={() => toggle(typed)}
                className="rounded-md px-2 py-1.5 data-[selected=true]:bg-highlight"
              >
                {`Use “${typed}”${matching ? ' as a pattern' : ''}`}
                {matching ? (
                  <span className="block truncate text-ink-3 text-sm">
                    {`It matches ${describeModels(matching)}`}
                  </span>
                ) : null}
              </Command.Item>
            ) : null}
            <NothingFound>No matching model.</NothingFound>
            {typed === '' ? (
              <Item value="All models" chosen={chosen.length === 0} onSelect={() => onChange([])} />
            ) : null}
            {shown.map((model) => (
              <Item
                key={model}
                value={model}
                chosen={chosen.includes(model)}
                onSelect={() => toggle(model)}
              />
            ))}
          </Command.List>
        </Command>
      </PopoverPanel>
    </Popover.Root>
  )
}

function Item({ value, chosen, onSelect }: { value: string; chosen: boolean; onSelect: () => void }) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      aria-checked={chosen}
      className="flex items-center gap-2 rounded-md px-2 py-1.5 data-[selected=true]:bg-highlight"
    >
      <Check size={13} aria-hidden className={cn('shrink-0', !chosen && 'invisible')} />
      <span className="min-w-0 truncate">{value}</span>
      {chosen ? <span className="sr-only">chosen</span> : null}
    </Command.Item>
  )
}

function rank(value: string, matching: readonly string[]): number {
  if (value.startsWith(PATTERN)) return 1
  return matching.includes(value) ? 0.5 : 0
}

function summarize(chosen: readonly string[]): string {
  const [first, ...others] = chosen
  if (first === undefined) return 'All models'
  return others.length === 0 ? first : `${first} and ${others.length} more`
}

/** The ids of the models that ids or patterns name, as one of their providers serves them. */
export function matchingModels(models: readonly ModelRecord[], patterns: readonly string[]): string[] {
  const matches = createMatcher(patterns)
  return models.filter(({ id, providers }) => providers.some((one) => matches(id, one))).map(({ id }) => id)
}

const NAMED = 3

/** "4 models: a, b, c and 1 more"; "no model that you have now". */
export function describeModels(ids: readonly string[]): string {
  if (ids.length === 0) return 'no model that you have now'
  const rest = ids.length - NAMED
  const names = `${ids.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  return `${formatQuantity(ids.length, 'model')}: ${names}`
}
