import { cn } from '../../components/cn.ts'
import type { ColumnLayout } from './column-layout.ts'
import { logColumns } from './log-columns.tsx'
import { rowGrid } from './request-row.tsx'

export function TableHead({ layout }: { layout: ColumnLayout }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: part of the virtualised table
    <div role="rowgroup" className="shrink-0 overflow-hidden border-line border-b [scrollbar-gutter:stable]">
      {/* biome-ignore lint/a11y/useSemanticElements: part of the virtualised table */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: a head row is not reached by itself */}
      <div
        role="row"
        style={{ gridTemplateColumns: layout.template }}
        className={cn(rowGrid, 'h-8 font-medium text-ink-3 text-xs')}
      >
        {layout.shown.map((id) => {
          const { name, right } = logColumns[id]
          return (
            // biome-ignore lint/a11y/useSemanticElements: part of the virtualised table
            // biome-ignore lint/a11y/useFocusableInteractive: a column head is not reached by itself
            <div key={id} role="columnheader" className={cn('truncate', right && 'text-right')}>
              {name}
            </div>
          )
        })}
      </div>
    </div>
  )
}
