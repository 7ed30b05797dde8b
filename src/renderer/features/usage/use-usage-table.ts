import {
  createExpandedRowModel,
  createSortedRowModel,
  rowExpandingFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useMemo } from 'react'
import type { Sort } from './usage-address.ts'
import { COLUMNS, sortValues, type TableRow } from './usage-row.ts'

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  rowExpandingFeature,
  expandedRowModel: createExpandedRowModel(),
})

const columns = COLUMNS.map(({ id }) => ({
  id,
  accessorFn: sortValues[id],
  // Unknown values are last in either order.
  sortUndefined: 'last' as const,
}))

export interface ShownRow {
  /** The id; of a part: those of its row and its own. */
  id: string
  record: TableRow
  /** The row of which it is a part; null for a row. */
  parent: TableRow | null
  expanded: boolean
}

interface UsageTableState {
  rows: TableRow[]
  sort: Sort
  expanded: Readonly<Record<string, boolean>>
}

/** The rows in their order, each followed by its parts if it is expanded. */
export function useShownRows({ rows, sort, expanded }: UsageTableState): ShownRow[] {
  const sorting = useMemo(() => [{ id: sort.column, desc: sort.descending }], [sort.column, sort.descending])
  const table = useTable({
    features,
    columns,
    data: rows,
    getRowId: (row, _index, parent) => (parent ? `${parent.id} ${row.id}` : row.id),
    getSubRows: ({ parts }) => parts,
    autoResetExpanded: false,
    state: { sorting, expanded },
  })
  return table.getRowModel().rows.map((row) => ({
    id: row.id,
    record: row.original,
    parent: row.getParentRow()?.original ?? null,
    expanded: expanded[row.id] === true,
  }))
}
