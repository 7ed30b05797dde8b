// The order of a table's rows, by the columns that say how, and its place in the address.
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

export interface Tree<Row> {
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

/** The rows in their order, each followed by its parts if it is expanded. */
export function useTableRows<Row, Id extends string>(order: RowOrder<Row, Id>): TableRow<Row>[] {
  const { rows, columns, getId, sort, thenBy, rank, tree } = order
  const expandedIds = tree?.expanded
  const getParts = tree?.getParts
  const compare = useMemo(
    () => createComparison(columns, [sort, thenBy], rank),
    [columns, sort, thenBy, rank],
  )
  const sorted = useMemo(() => (compare ? rows.toSorted(compare) : rows), [rows, compare])
  return useMemo(
    () =>
      sorted.flatMap((record) => {
        const id = getId(record)
        const expanded = expandedIds?.[id] === true
        const parts = expanded ? (getParts?.(record) ?? []) : []
        return [
          { id, record, parent: null, expanded },
          ...parts
            .toSorted(compare ?? (() => 0))
            .map((part) => ({ id: `${id} ${getId(part)}`, record: part, parent: record, expanded: false })),
        ]
      }),
    [sorted, compare, getId, expandedIds, getParts],
  )
}

/** Null where nothing says how rows are sorted. */
function createComparison<Row, Id extends string>(
  columns: readonly Column<Row, Id>[],
  by: readonly (Sort<Id> | undefined)[],
  rank: RowOrder<Row, Id>['rank'],
): ((a: Row, b: Row) => number) | null {
  const chosen = by.flatMap((sort) => {
    const read = columns.find(({ id }) => id === sort?.column)?.sortBy
    return sort && read ? [{ read, sign: sort.descending ? -1 : 1 }] : []
  })
  const keys = rank ? [{ read: rank, sign: 1 }, ...chosen] : chosen
  if (keys.length === 0) return null
  return (a, b) => {
    for (const { read, sign } of keys) {
      const order = compareValues(read(a), read(b), sign)
      if (order !== 0) return order
    }
    return 0
  }
}

type SortValue = string | number | undefined

/** Rows without a value come last in either order. `sign`: -1 for a descending one. */
function compareValues(a: SortValue, b: SortValue, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  const [left, right] = [foldCase(a), foldCase(b)]
  return left === right ? 0 : left > right ? sign : -sign
}

function foldCase(value: string | number): string | number {
  return typeof value === 'string' ? value.toLowerCase() : value
}

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
