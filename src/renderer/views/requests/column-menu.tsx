import { Check, Columns3 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { Button } from '../../components/button.tsx'
import { FIXED_COLUMNS, useLogColumns } from './column-store.ts'
import { COLUMN_IDS, type ColumnId, logColumns } from './log-columns.tsx'

const itemClasses =
  'flex items-center gap-2 rounded-md px-2 py-1.5 text-ink outline-none data-highlighted:bg-sunken'

/** Chooses the columns of the log. `shown`: those that have room now. */
export function ColumnMenu({ shown }: { shown: readonly ColumnId[] }) {
  const { chosen, toggle, reset } = useLogColumns()
  return (
    // Not modal: the rest of the window stays in the accessibility tree.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button small variant="quiet" icon={Columns3}>
          Columns
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-52 animate-rise overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-float"
        >
          {COLUMN_IDS.filter((id) => !FIXED_COLUMNS.includes(id)).map((id) => (
            <DropdownMenu.CheckboxItem
              key={id}
              checked={chosen.includes(id)}
              // The menu stays open for the next choice.
              onSelect={(event) => event.preventDefault()}
              onCheckedChange={() => toggle(id)}
              className={itemClasses}
            >
              <span className="flex size-4 shrink-0 items-center justify-center">
                <DropdownMenu.ItemIndicator>
                  <Check size={13} aria-hidden />
                </DropdownMenu.ItemIndicator>
              </span>
              {logColumns[id].name}
              {chosen.includes(id) && !shown.includes(id) ? (
                <span className="ml-auto pl-4 text-ink-3 text-sm">hidden: too narrow</span>
              ) : null}
            </DropdownMenu.CheckboxItem>
          ))}
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.Item onSelect={reset} className={itemClasses}>
            <span className="size-4" />
            Default columns
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
