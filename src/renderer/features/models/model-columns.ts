import {
  createColumnHelper,
  createSortedRowModel,
  rowSelectionFeature,
  rowSortingFeature,
  sortFn_text,
  tableFeatures,
} from '@tanstack/react-table'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { Sort } from '../../kit/sort-header.tsx'

export const MODEL_COLUMNS = ['name', 'provider', 'context', 'input', 'output'] as const
type ModelColumn = (typeof MODEL_COLUMNS)[number]
export type ModelSort = Sort<ModelColumn>

/** A model with what the table sorts by and shows. */
export interface ListedModel {
  model: ModelRecord
  providerName: string
}

export const features = tableFeatures({
  rowSortingFeature,
  rowSelectionFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { text: sortFn_text },
})

const helper = createColumnHelper<typeof features, ListedModel>()

/** Models without a value are last in either direction. */
export const columns = helper.columns([
  helper.accessor(({ model }) => model.id, { id: 'name', sortFn: 'text' }),
  helper.accessor('providerName', { id: 'provider', sortFn: 'text' }),
  helper.accessor(({ model }) => model.contextWindow ?? undefined, { id: 'context', sortUndefined: 'last' }),
  helper.accessor(({ model }) => model.pricing?.inputPerMillion, { id: 'input', sortUndefined: 'last' }),
  helper.accessor(({ model }) => model.pricing?.outputPerMillion, { id: 'output', sortUndefined: 'last' }),
])
