import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  sortFn_text,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useMemo } from 'react'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { cn } from '../../kit/cn.ts'
import { type Sort, SortHeader } from '../../kit/sort-header.tsx'
import { stackedHead, stackedTable } from '../../kit/stacked-table.ts'
import { scopeLabel } from '../../parts/keys/scopes.ts'
import { KeyRow } from './key-row.tsx'

export const KEY_COLUMNS = ['name', 'scope', 'spend', 'used', 'created'] as const
type KeyColumn = (typeof KEY_COLUMNS)[number]
export type KeySort = Sort<KeyColumn>

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { text: sortFn_text },
})
const helper = createColumnHelper<typeof features, KeyMetadata>()
const columns = helper.columns([
  helper.accessor((key) => Number(key.revokedAt !== null), { id: 'revoked' }),
  helper.accessor('name', { id: 'name', sortFn: 'text' }),
  helper.accessor((key) => scopeLabel(key.scope), { id: 'scope', sortFn: 'text' }),
  helper.accessor('spendUsd', { id: 'spend' }),
  helper.accessor(({ lastUsedAt }) => (lastUsedAt === null ? undefined : Date.parse(lastUsedAt)), {
    id: 'used',
    sortUndefined: 'last',
  }),
  helper.accessor(({ createdAt }) => Date.parse(createdAt), { id: 'created' }),
])

interface KeyTableProps {
  keys: KeyMetadata[]
  sort: KeySort
  onSort: (sort: KeySort) => void
  onOpen: (id: string) => void
  onRevoke: (key: KeyMetadata) => void
}

export function KeyTable({ keys, sort, onSort, onOpen, onRevoke }: KeyTableProps) {
  const { column, descending } = sort
  // Revoked keys come last in any order.
  const sorting = useMemo(
    () => [
      { id: 'revoked', desc: false },
      { id: column, desc: descending },
    ],
    [column, descending],
  )
  const table = useTable({ features, columns, data: keys, getRowId: ({ id }) => id, state: { sorting } })
  const header = { sort, onSort }
  return (
    <table className={cn('w-full table-fixed border-collapse', stackedTable)}>
      <thead>
        <tr
          className={cn(
            'h-9 border-b text-left text-ink-3 text-xs [&>th]:px-4 [&>th]:font-medium',
            stackedHead,
          )}
        >
          <SortHeader {...header} column="name" className="w-[32%] lg:w-[26%]">
            Name
          </SortHeader>
          <SortHeader {...header} column="scope" className="w-40 max-lg:hidden">
            Scope
          </SortHeader>
          <SortHeader {...header} column="spend" descendingFirst>
            Spend
          </SortHeader>
          <SortHeader {...header} column="used" descendingFirst className="w-30 max-lg:hidden">
            Last used
          </SortHeader>
          <SortHeader {...header} column="created" descendingFirst className="w-32 max-[1400px]:hidden">
            Created
          </SortHeader>
          <th className="w-38 max-sm:hidden">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {table.getRowModel().rows.map(({ original: key }) => (
          <KeyRow key={key.id} record={key} onOpen={() => onOpen(key.id)} onRevoke={() => onRevoke(key)} />
        ))}
      </tbody>
    </table>
  )
}
