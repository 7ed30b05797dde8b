import { type RowSelectionState, useTable } from '@tanstack/react-table'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { SortHeader } from '../../kit/sort-header.tsx'
import { stackedHead, stackedTable } from '../../kit/stacked-table.ts'
import { columns, features, type ListedModel, type ModelSort } from './model-columns.ts'
import { ModelRow } from './model-row.tsx'
import { choosePriceDecimals } from './price-cells.tsx'
import { SelectionBar } from './selection-bar.tsx'

/** The number of rows rendered until the user requests all. */
const FIRST_SHOWN = 200

interface ModelTableProps {
  models: readonly ListedModel[]
  /** Shown in place of the table while there are no models. */
  emptyText: string
  sort: ModelSort
  onSort: (sort: ModelSort) => void
  suggestions: ReadonlyMap<string, PriceSuggestion>
  /** Shows suggested prices instead of capabilities and prices. */
  showSuggestions: boolean
  onEdit: (id: string) => void
}

export function ModelTable(props: ModelTableProps) {
  const { models, emptyText, sort, onSort, suggestions, showSuggestions, onEdit } = props
  const { column, descending } = sort
  const [showAll, setShowAll] = useState(false)
  const [rowSelection, setRowSelection] = useState<RowSelectionState>({})
  const sorting = useMemo(
    () => [
      { id: column, desc: descending },
      { id: 'name', desc: false },
    ],
    [column, descending],
  )
  const table = useTable({
    features,
    columns,
    data: models,
    getRowId: ({ model }) => model.id,
    state: { sorting, rowSelection },
    onRowSelectionChange: setRowSelection,
  })
  const { rows } = table.getRowModel()
  const shown = showAll ? rows : rows.slice(0, FIRST_SHOWN)
  const selected = rows.filter((row) => row.getIsSelected()).map(({ original }) => original.model)
  const decimals = useMemo(() => choosePriceDecimals(models.map(({ model }) => model)), [models])
  const header = { sort, onSort }
  // Rows that did not change are not rendered again, so their callbacks must stay the same.
  const latest = useRef({ table, onEdit })
  useEffect(() => {
    latest.current = { table, onEdit }
  })
  const edit = useCallback((id: string) => latest.current.onEdit(id), [])
  const select = useCallback((id: string, event: unknown) => {
    latest.current.table.getRow(id).getToggleSelectedHandler()(event)
  }, [])
  if (models.length === 0) {
    return <p className="px-4 py-10 text-center text-ink-3">{emptyText}</p>
  }
  return (
    <>
      <table className={cn('w-full table-fixed border-collapse text-sm', stackedTable)}>
        <thead>
          <tr
            className={cn(
              'h-9 border-b text-left text-ink-3 text-xs [&>th]:px-3 [&>th]:font-medium',
              stackedHead,
            )}
          >
            <th className="w-10 pr-0! pl-4! max-sm:w-10!">
              <input
                type="checkbox"
                aria-label="Select all models"
                checked={table.getIsAllRowsSelected()}
                ref={(box) => {
                  if (box) box.indeterminate = selected.length > 0 && !table.getIsAllRowsSelected()
                }}
                onChange={({ target }) => table.toggleAllRowsSelected(target.checked)}
                className="block size-3.5 accent-accent"
              />
            </th>
            <SortHeader {...header} column="name" className="max-sm:grow">
              Model
            </SortHeader>
            <SortHeader {...header} column="provider" className="w-34 max-lg:hidden">
              Provider
            </SortHeader>
            {showSuggestions ? (
              <th className="w-[48%] lg:w-[50%]">Suggested price</th>
            ) : (
              <th className="w-60 max-xl:hidden">Capabilities</th>
            )}
            {showSuggestions ? null : (
              <>
                <SortHeader {...header} column="context" descendingFirst right className="w-22 max-lg:hidden">
                  Context
                </SortHeader>
                <SortHeader {...header} column="input" right className="w-26">
                  Input
                </SortHeader>
                <SortHeader {...header} column="output" right className="w-26">
                  Output
                </SortHeader>
              </>
            )}
            <th className="w-24 max-sm:hidden">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <ModelRow
              key={row.id}
              listed={row.original}
              selected={row.getIsSelected()}
              onSelect={select}
              suggestion={suggestions.get(row.id) ?? null}
              showSuggestions={showSuggestions}
              decimals={decimals}
              onEdit={edit}
            />
          ))}
        </tbody>
      </table>
      {shown.length < rows.length ? (
        <p className="flex items-center justify-center gap-3 border-t px-4 py-3 text-ink-3 text-sm">
          {shown.length} of {rows.length} models
          <Button small onClick={() => setShowAll(true)}>
            Show all
          </Button>
        </p>
      ) : null}
      {selected.length > 0 ? (
        <SelectionBar models={selected} suggestions={suggestions} onClear={() => setRowSelection({})} />
      ) : null}
    </>
  )
}
