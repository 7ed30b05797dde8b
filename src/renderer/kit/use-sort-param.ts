import type { Sort } from './sort-header.tsx'
import { useAddressParam } from './use-address-param.ts'

/** How a table is sorted, in the address: `sort=name`, or descending `sort=-name`. The default order is not written. */
export function useSortParam<Column extends string>(
  columns: readonly Column[],
  standard: Sort<Column>,
): [Sort<Column>, (sort: Sort<Column>) => void] {
  const [text, setText] = useAddressParam('sort')
  const found = columns.find((column) => column === text?.replace(/^-/, ''))
  const sort = found === undefined ? standard : { column: found, descending: text?.startsWith('-') ?? false }
  const setSort = ({ column, descending }: Sort<Column>) => {
    const isStandard = column === standard.column && descending === standard.descending
    setText(isStandard ? null : `${descending ? '-' : ''}${column}`)
  }
  return [sort, setSort]
}
