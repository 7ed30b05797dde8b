import { X } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { changeOverrides } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { copyText } from '../../kit/copy.tsx'
import { DataTable } from '../../kit/data-table.tsx'
import { formatQuantity } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { type Column, type Sort, useSortParam } from '../../kit/table-order.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { setModelEnabled } from './model-form.ts'
import { choosePriceDecimals, type ListedModel, ModelRow } from './model-row.tsx'
import { SetPrices } from './set-prices.tsx'

type ColumnId =
  | 'name'
  | 'provider'
  | 'suggestion'
  | 'capabilities'
  | 'context'
  | 'input'
  | 'output'
  | 'actions'

const BY_NAME: Sort<ColumnId> = { column: 'name', descending: false }

interface ModelTableProps {
  models: readonly ListedModel[]
  /** Shown in place of the table while there are no models. */
  emptyText: string
  suggestions: ReadonlyMap<string, PriceSuggestion>
  /** Shows suggested prices instead of capabilities and prices. */
  showSuggestions: boolean
  onEdit: (id: string) => void
}

export function ModelTable({ models, emptyText, suggestions, showSuggestions, onEdit }: ModelTableProps) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const sorting = useSortParam(columns, BY_NAME)
  const decimals = useMemo(() => choosePriceDecimals(models.map(({ model }) => model)), [models])
  // Rows that did not change are not rendered again, so their callbacks must stay the same.
  const latest = useRef(onEdit)
  useEffect(() => {
    latest.current = onEdit
  })
  const [, navigate] = useLocation()
  const edit = useCallback((id: string) => latest.current(id), [])
  const select = useCallback(
    (id: string, on: boolean) =>
      setSelected((before) => new Set([...before].filter((other) => other !== id).concat(on ? [id] : []))),
    [],
  )
  const chosen = models.flatMap(({ model }) => (selected.has(model.id) ? [model] : []))
  if (models.length === 0) {
    return <p className="px-4 py-10 text-center text-ink-3">{emptyText}</p>
  }
  return (
    <>
      <DataTable
        look="dense"
        classes={{ table: 'text-sm' }}
        columns={showSuggestions ? suggestionColumns : columns}
        rows={models}
        getId={({ model }) => model.id}
        sorting={sorting}
        thenBy={BY_NAME}
        stacked
        firstShown={200}
        noun="models"
        menu={{
          label: 'Model',
          getItems: ({ model: { id } }) => [
            { label: 'Edit', onSelect: () => edit(id) },
            { label: 'Copy ID', onSelect: () => void copyText(id) },
            'separator',
            {
              label: 'View requests',
              onSelect: () => navigate(`/requests?model=${encodeURIComponent(id)}`),
            },
            { label: 'View usage', onSelect: () => navigate(`/usage?model=${encodeURIComponent(id)}`) },
          ],
        }}
        selection={{ selected, onSelect: setSelected, label: 'Select all models' }}
        renderRow={(listed) => (
          <ModelRow
            listed={listed}
            selected={selected.has(listed.model.id)}
            onSelect={select}
            suggestion={suggestions.get(listed.model.id) ?? null}
            showSuggestions={showSuggestions}
            decimals={decimals}
            onEdit={edit}
          />
        )}
      />
      {chosen.length > 0 ? (
        <SelectionBar models={chosen} suggestions={suggestions} onClear={() => setSelected(new Set())} />
      ) : null}
    </>
  )
}

const allColumns: readonly Column<ListedModel, ColumnId>[] = [
  { id: 'name', head: 'Model', sortBy: ({ model }) => model.id, headClass: 'max-sm:grow' },
  {
    id: 'provider',
    head: 'Provider',
    sortBy: ({ providerName }) => providerName,
    headClass: 'w-34 max-lg:hidden',
  },
  { id: 'suggestion', head: 'Suggested price', headClass: 'w-[48%] lg:w-[50%]' },
  { id: 'capabilities', head: 'Capabilities', headClass: 'w-60 max-xl:hidden' },
  {
    id: 'context',
    head: 'Context',
    sortBy: ({ model }) => model.contextWindow ?? undefined,
    descendingFirst: true,
    right: true,
    headClass: 'w-22 max-lg:hidden',
  },
  {
    id: 'input',
    head: 'Input',
    sortBy: ({ model }) => model.pricing?.inputPerMillion,
    right: true,
    headClass: 'w-26',
  },
  {
    id: 'output',
    head: 'Output',
    sortBy: ({ model }) => model.pricing?.outputPerMillion,
    right: true,
    headClass: 'w-26',
  },
  { id: 'actions', head: 'Actions', hideHead: true, headClass: 'w-24 max-sm:hidden' },
]

const columns = allColumns.filter(({ id }) => id !== 'suggestion')

const suggestionColumns = allColumns.filter(({ id }) =>
  ['name', 'provider', 'suggestion', 'actions'].includes(id),
)

interface SelectionBarProps {
  models: readonly ModelRecord[]
  suggestions: ReadonlyMap<string, PriceSuggestion>
  onClear: () => void
}

/** Actions on all selected models together. */
function SelectionBar({ models, suggestions, onClear }: SelectionBarProps) {
  const [pricing, setPricing] = useState(false)
  const { pending, error, submit } = useSubmit()
  const setEnabled = (enabled: boolean) =>
    submit(async () => {
      const changed = models.filter((model) => model.enabled !== enabled)
      await changeOverrides(
        new Map(changed.map(({ id, override }) => [id, setModelEnabled(override, enabled)])),
      )
      toast.success(`${formatQuantity(models.length, 'model')} turned ${enabled ? 'on' : 'off'}.`)
    }, onClear)
  return (
    <section
      aria-label="Selected models"
      className="sticky bottom-0 flex flex-wrap items-center gap-2 rounded-b-lg border-line border-t bg-raised px-4 py-2.5 shadow-float"
    >
      <span aria-live="polite" className="font-medium">
        {`${formatQuantity(models.length, 'model')} selected`}
      </span>
      {error ? (
        <span role="alert" className="min-w-0 truncate text-bad text-sm">
          {error.message}
        </span>
      ) : null}
      <span className="ml-auto flex flex-wrap items-center gap-2">
        <Button small disabled={pending} onClick={() => void setEnabled(true)}>
          Turn on
        </Button>
        <Button small disabled={pending} onClick={() => void setEnabled(false)}>
          Turn off
        </Button>
        <Button small variant="primary" disabled={pending} onClick={() => setPricing(true)}>
          Set price
        </Button>
        <IconButton small icon={X} label="Clear the selection" onClick={onClear} />
      </span>
      {pricing ? (
        <SetPrices
          models={models}
          suggestions={suggestions}
          onClose={() => setPricing(false)}
          onSaved={onClear}
        />
      ) : null}
    </section>
  )
}
