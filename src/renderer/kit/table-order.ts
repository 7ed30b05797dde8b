// The order of a table's rows, by the columns that say how, and its place in the address.
import {
  constructSortFn,
  createExpandedRowModel,
  createSortedRowModel,
  type RowData,
  rowExpandingFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { type ReactNode, useMemo } from 'react'
import { useAddressParam } from './use-address-param.ts'

export interface Sort<Id extends string = string> {
  column: Id
  descending: boolean
}

/** The current order and how to change it. */
export type Sorting<Id extends string = string> = readonly [Sort<Id>, (sort: Sort<Id>) => void]

export interface Column<Row, Id extends string = string> {
  id: Id
  head: ReactNode
  /** Shows the head to screen readers only. */
  hideHead?: boolean
  /** A head above this column and its neighbors with the same group. */
  group?: string
  /** A tooltip of the head. */
  hint?: string | undefined
  /** Absent where the table renders whole rows. */
  cell?(row: Row): ReactNode
  /** The cell in the row of totals, where it differs. */
  total?(row: Row): ReactNode
  /** A tooltip of the cell. */
  title?(row: Row): string | undefined
  /** The value that rows are sorted by. Rows without one come last in either order. */
  sortBy?(row: Row): string | number | undefined
  /** The column can be chosen for sorting, but the rows are already sorted. */
  sortedByGateway?: boolean
  /** The first press sorts the largest or newest first. */
  descendingFirst?: boolean
  /** The column contains numbers. */
  right?: boolean
  /** The cells name their rows. */
  isHeader?: boolean
  /** Classes of the head and the cells. */
  className?: string | undefined
  headClass?: string | undefined
  cellClass?: string | undefined
}

/** A row with its place in a tree of two levels. */
export interface TableRow<Row> {
  /** The row's id; for a part, the ids of its row and its own. */
  id: string
  record: Row
  /** The row that this one is a part of; null for a whole row. */
  parent: Row | null
  expanded: boolean
}

interface Tree<Row> {
  expanded: Readonly<Record<string, boolean>>
  onExpand(id: string, expanded: boolean): void
  getParts(row: Row): Row[] | undefined
}

export interface RowOrder<Row, Id extends string> {
  rows: readonly Row[]
  columns: readonly Column<Row, Id>[]
  getId(row: Row): string
  sort?: Sort<Id> | undefined
  /** The order of rows with the same value. */
  thenBy?: Sort<Id> | undefined
  /** Rows with a greater rank come later in any order. */
  rank?: ((row: Row) => number) | undefined
  tree?: Tree<Row> | undefined
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: {
    value: constructSortFn({
      sort: (a: string | number, b: string | number) => (a === b ? 0 : a > b ? 1 : -1),
      resolveDataValue: (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value),
    }),
  },
  rowExpandingFeature,
  expandedRowModel: createExpandedRowModel(),
})

const RANK = ' rank'

/** The rows in their order, each followed by its parts if it is expanded. */
export function useTableRows<Row extends RowData, Id extends string>(
  order: RowOrder<Row, Id>,
): TableRow<Row>[] {
  const { rows, columns, getId, sort, thenBy, rank, tree } = order
  const definitions = useMemo(
    () =>
      [...columns, { id: RANK, sortBy: rank }].flatMap(({ id, sortBy }) =>
        sortBy ? [{ id, accessorFn: sortBy, sortFn: 'value' as const, sortUndefined: 'last' as const }] : [],
      ),
    [columns, rank],
  )
  const sorting = useMemo(
    () =>
      [{ column: RANK, descending: false }, sort, thenBy].flatMap((by) =>
        by !== undefined && definitions.some(({ id }) => id === by.column)
          ? [{ id: by.column, desc: by.descending }]
          : [],
      ),
    [definitions, sort, thenBy],
  )
  const expanded = tree?.expanded ?? nothingExpanded
  const isOrdered = sorting.length === 0 && tree === undefined
  const table = useTable({
    features,
    columns: definitions,
    data: isOrdered ? nothing : rows,
    getRowId: (row, _index, parent) => (parent ? `${parent.id} ${getId(row)}` : getId(row)),
    getSubRows: (row) => tree?.getParts(row),
    autoResetExpanded: false,
    state: { sorting, expanded },
  })
  const model = table.getRowModel()
  return useMemo(
    () =>
      isOrdered
        ? rows.map((record) => ({ id: getId(record), record, parent: null, expanded: false }))
        : model.rows.map((row) => ({
            id: row.id,
            record: row.original,
            parent: row.getParentRow()?.original ?? null,
            expanded: expanded[row.id] === true,
          })),
    [isOrdered, rows, getId, model, expanded],
  )
}

const nothing: never[] = []

const nothingExpanded: Readonly<Record<string, boolean>> = {}

/** How a table is sorted, in the address: `sort=name`, or descending `sort=-name`. The default order is not written. */
export function useSortParam<Row, Id extends string>(
  columns: readonly Column<Row, Id>[],
  standard: Sort<Id>,
): Sorting<Id> {
  const [text, setText] = useAddressParam('sort')
  const found = columns.find(({ id, sortBy }) => sortBy && id === text?.replace(/^-/, ''))
  const column = found?.id ?? standard.column
  const descending = found === undefined ? standard.descending : (text?.startsWith('-') ?? false)
  const sort = useMemo(() => ({ column, descending }), [column, descending])
  const setSort = (next: Sort<Id>) => {
    const isStandard = next.column === standard.column && next.descending === standard.descending
    setText(isStandard ? null : `${next.descending ? '-' : ''}${next.column}`)
  }
  return [sort, setSort]
}
