import { ChevronRight } from 'lucide-react'
import { cn } from '../../kit/cn.ts'
import { cells, columnClasses, edgeClass, type Scale } from './usage-columns.tsx'
import { COLUMNS } from './usage-row.ts'
import type { ShownRow } from './use-usage-table.ts'

interface UsageTableRowProps {
  row: ShownRow
  scale: Scale
  /** The one row in the tab order. Arrow keys move from it. */
  tabStop: boolean
  onFocus: () => void
  onExpand: (id: string, expanded: boolean) => void
  onOpen: (row: ShownRow) => void
}

export function UsageTableRow({ row, scale, tabStop, onFocus, onExpand, onOpen }: UsageTableRowProps) {
  const { id, record, parent, expanded } = row
  return (
    <tr
      data-row
      aria-label={parent ? `${parent.name}, ${record.name}` : record.name}
      aria-level={parent ? 2 : 1}
      aria-expanded={parent ? undefined : expanded}
      tabIndex={tabStop ? 0 : -1}
      onFocus={onFocus}
      onClick={() => onOpen(row)}
      className={cn('-outline-offset-2 hover:bg-sunken', parent && 'text-ink-2')}
    >
      {COLUMNS.map(({ id: column }) => (
        <td
          key={column}
          className={cn(
            'h-9 whitespace-nowrap border-line border-b px-2 @6xl:px-3 text-sm first:pl-4 max-sm:first:pl-2',
            columnClasses[column],
          )}
        >
          {column === 'name' ? (
            <span className={cn('flex items-center gap-1', parent && 'pl-12')}>
              {parent ? null : (
                <button
                  type="button"
                  // Rows are expanded with the arrow keys.
                  tabIndex={-1}
                  aria-label={`${expanded ? 'Hide' : 'Show'} the parts of ${record.name}`}
                  onClick={(event) => {
                    event.stopPropagation()
                    onExpand(id, !expanded)
                  }}
                  className="flex size-6 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-line hover:text-ink"
                >
                  <ChevronRight
                    size={14}
                    aria-hidden
                    className={cn('transition-transform', expanded && 'rotate-90')}
                  />
                </button>
              )}
              <span
                className={cn('w-0 min-w-0 flex-1 truncate', !parent && 'font-medium')}
                title={record.name}
              >
                <bdi>{record.name}</bdi>
              </span>
            </span>
          ) : (
            cells[column]({ record, scale })
          )}
        </td>
      ))}
      <td aria-hidden className={cn('border-line border-b', edgeClass)} />
    </tr>
  )
}
