import type { ModelRecord } from '../../../shared/models.ts'
import { ModelRow } from './model-row.tsx'

/** Rows rendered at once. Longer lists are narrowed by the search. */
const MOST_SHOWN = 200

interface ModelTableProps {
  models: readonly ModelRecord[]
  onEdit: (model: ModelRecord) => void
}

export function ModelTable({ models, onEdit }: ModelTableProps) {
  if (models.length === 0) {
    return <p className="px-4 py-10 text-center text-ink-3">No models match this filter.</p>
  }
  return (
    <>
      <table className="w-full table-fixed border-collapse text-sm">
        <thead>
          <tr className="h-9 border-b text-left text-ink-3 text-xs [&>th]:px-4 [&>th]:font-medium">
            <th>Model</th>
            <th className="w-30 max-lg:hidden">Provider</th>
            <th className="w-60 max-xl:hidden">Capabilities</th>
            <th className="w-22 text-right max-lg:hidden">Context</th>
            <th className="w-56 text-right lg:w-60">USD per million, in / out</th>
            <th className="w-24">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {models.slice(0, MOST_SHOWN).map((model) => (
            <ModelRow key={model.id} model={model} onEdit={() => onEdit(model)} />
          ))}
        </tbody>
      </table>
      {models.length > MOST_SHOWN ? (
        <p className="px-4 py-3 text-center text-ink-3 text-sm">
          {models.length - MOST_SHOWN} more. Search to narrow the list.
        </p>
      ) : null}
    </>
  )
}
