import { type KeyboardEvent, useRef, useState } from 'react'
import { cn } from '../../kit/cn.ts'
import { SortHeader } from '../../kit/sort-header.tsx'
import { Unpriced } from '../../kit/unpriced.tsx'
import type { Sort } from './usage-address.ts'
import { cells, columnClasses, createScale, edgeClass, type Scale } from './usage-columns.tsx'
import { COLUMNS, type TableRow } from './usage-row.ts'
import { UsageTableRow } from './usage-table-row.tsx'
import type { ShownRow } from './use-usage-table.ts'

interface UsageTableProps {
  /** The name of the rows: "Model". */
  rowLabel: string
  rows: readonly TableRow[]
  shown: readonly ShownRow[]
  total: TableRow
  sort: Sort
  /** The rows are those of the previous range or filter. */
  stale: boolean
  onSort: (sort: Sort) => void
  onExpand: (id: string, expanded: boolean) => void
  onOpen: (row: ShownRow) => void
}

/** A tree of two levels: arrow keys move between rows, right and left show and hide the parts of one, Enter opens it. */
export function UsageTable({
  rowLabel,
  rows,
  shown,
  total,
  sort,
  stale,
  onSort,
  onExpand,
  onOpen,
}: UsageTableProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [lastFocused, setLastFocused] = useState<string | null>(null)
  const scale = createScale(rows, total)
  const tabStop = Math.max(
    0,
    shown.findIndex(({ id }) => id === lastFocused),
  )
  const moveTo = (index: number) => {
    const row = shown[index]
    if (!row) return
    setLastFocused(row.id)
    body.current?.querySelectorAll<HTMLElement>('[data-row]')[index]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const row = shown[tabStop]
    if (!row) return
    switch (event.key) {
      case 'ArrowDown':
        moveTo(tabStop + 1)
        break
      case 'ArrowUp':
        moveTo(tabStop - 1)
        break
      case 'Home':
        moveTo(0)
        break
      case 'End':
        moveTo(shown.length - 1)
        break
      case 'ArrowRight':
        if (row.parent === null && !row.expanded) onExpand(row.id, true)
        else moveTo(tabStop + 1)
        break
      case 'ArrowLeft':
        if (row.parent) moveTo(shown.findIndex(({ record }) => record === row.parent))
        else onExpand(row.id, false)
        break
      case 'Enter':
        onOpen(row)
        break
      default:
        return
    }
    event.preventDefault()
  }

  return (
    <div
      className={cn(
        '@container min-h-0 flex-1 overflow-auto bg-surface [scrollbar-gutter:stable]',
        stale && 'opacity-60',
      )}
    >
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its rows are expanded and opened with keys
        role="treegrid"
        aria-label="Usage"
        aria-busy={stale}
        className="w-full border-separate border-spacing-0"
      >
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <SortHeader
                key={column.id}
                column={column.id}
                sort={sort}
                onSort={onSort}
                // Numbers are sorted with the largest first, names from A to Z.
                descendingFirst={column.id !== 'name'}
                right={column.id !== 'name' && column.id !== 'share'}
                hint={'hint' in column ? column.hint : undefined}
                className={cn(
                  'sticky top-0 z-10 h-8 whitespace-nowrap border-line border-b bg-canvas px-2 @6xl:px-3 text-left font-medium text-ink-3 text-xs',
                  columnClasses[column.id],
                  edgeCell,
                )}
              >
                {column.id === 'name' ? rowLabel : column.label}
              </SortHeader>
            ))}
            <td aria-hidden className={cn('sticky top-0 z-10 border-line border-b bg-canvas', edgeClass)} />
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={onKeyDown}>
          {shown.map((row, index) => (
            <UsageTableRow
              key={row.id}
              row={row}
              scale={scale}
              tabStop={index === tabStop}
              onFocus={() => setLastFocused(row.id)}
              onExpand={onExpand}
              onOpen={onOpen}
            />
          ))}
        </tbody>
        <tfoot>
          <Total total={total} scale={scale} />
        </tfoot>
      </table>
    </div>
  )
}

const edgeCell = 'first:pl-6 max-sm:first:pl-4'

function Total({ total, scale }: { total: TableRow; scale: Scale }) {
  return (
    <tr className="font-medium">
      {COLUMNS.map(({ id }) => (
        <td
          key={id}
          className={cn(
            'sticky bottom-0 z-10 h-10 whitespace-nowrap border-line border-t bg-canvas px-2 @6xl:px-3 text-sm',
            columnClasses[id],
            edgeCell,
          )}
        >
          {id === 'name' ? (
            <span className="flex items-baseline gap-2">
              Total <Unpriced count={total.unpriced} short />
            </span>
          ) : (
            cells[id]({ record: total, scale })
          )}
        </td>
      ))}
      <td aria-hidden className={cn('sticky bottom-0 z-10 border-line border-t bg-canvas', edgeClass)} />
    </tr>
  )
}
