import { Columns3 } from 'lucide-react'
import { Popover } from 'radix-ui'
import { Button } from '../../kit/button.tsx'
import { PopoverPanel } from '../../kit/popover-panel.tsx'
import { FIXED_COLUMNS, useLogColumns } from './column-store.ts'
import { COLUMN_IDS, type ColumnId, logColumns } from './log-columns.tsx'

/** Chooses the columns of the log. `shown`: those that have room now. */
export function ColumnMenu({ shown }: { shown: readonly ColumnId[] }) {
  const { chosen, toggle, reset } = useLogColumns()
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <Button small variant="quiet" icon={Columns3}>
          <span className="@max-[30rem]:sr-only">Columns</span>
        </Button>
      </Popover.Trigger>
      <PopoverPanel
        align="end"
        aria-label="Columns"
        className="max-h-(--radix-popover-content-available-height) w-56 overflow-y-auto p-1"
      >
        {COLUMN_IDS.filter((id) => !FIXED_COLUMNS.includes(id)).map((id) => (
          <label key={id} className="flex items-center gap-2 rounded-md px-2 py-1.5 hover:bg-sunken">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={() => toggle(id)}
              className="size-3.5 shrink-0 accent-accent"
            />
            {logColumns[id].name}
            {chosen.includes(id) && !shown.includes(id) ? (
              <span className="ml-auto pl-4 text-ink-3 text-sm">does not fit</span>
            ) : null}
          </label>
        ))}
        <Button small variant="quiet" onClick={reset} className="mt-1 w-full">
          Default columns
        </Button>
      </PopoverPanel>
    </Popover.Root>
  )
}
