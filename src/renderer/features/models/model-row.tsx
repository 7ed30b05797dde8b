import { useMutation } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { memo } from 'react'
import type { ModelRecord, PriceOrigin, Retirement } from '../../../shared/api/models.ts'
import type { PriceSuggestion } from '../../../shared/api/pricing.ts'
import { exactUsdDecimals } from '../../../shared/money/format-usd.ts'
import { deleteOverride, putModel, saveWithUndo } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { queryClient } from '../../data/query-client.ts'
import type { ApiError } from '../../kit/api-error.ts'
import { Badge } from '../../kit/badge.tsx'
import { cn } from '../../kit/cn.ts'
import { Switch } from '../../kit/controls.tsx'
import { CopyIconButton } from '../../kit/copy.tsx'
import { formatCount, formatDate } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { ColumnMoney } from '../../kit/money.tsx'
import { useNow } from '../../kit/use-now.ts'
import { formatPriceOrigin, formatUnitPrices } from '../../parts/requests/price-label.ts'
import { CapabilityBadges, Suggestion } from './capabilities.tsx'
import { isFree } from './model-filter.ts'
import { isAlias, isEdited, setModelEnabled } from './model-form.ts'

/** A model with what the table sorts by and shows. */
export interface ListedModel {
  model: ModelRecord
  providerName: string
}

interface ModelRowProps {
  listed: ListedModel
  selected: boolean
  onSelect: (id: string, selected: boolean) => void
  suggestion: PriceSuggestion | null
  showSuggestions: boolean
  /** The decimals of prices. */
  decimals: number
  onEdit: (id: string) => void
}

export const ModelRow = memo(function ModelRow(props: ModelRowProps) {
  const { listed, selected, onSelect, suggestion, showSuggestions, decimals, onEdit } = props
  const { model, providerName } = listed
  const { enabled: on, error, setEnabled } = useModelSwitch(model)
  const edit = () => onEdit(model.id)
  const targets = describeTargets(model)
  const others = model.providers.length - 1
  return (
    <tr
      data-row={model.id}
      aria-label={model.id}
      aria-selected={selected}
      className={cn(
        'group h-(--row) border-b last:border-b-0 [&>td]:px-3',
        'max-sm:grid max-sm:h-auto max-sm:grid-cols-[2.5rem_auto_minmax(0,1fr)_auto] max-sm:items-center max-sm:py-2',
        !on && 'text-ink-3',
        selected && 'bg-accent-soft',
      )}
    >
      <td className="pr-0! pl-4! max-sm:col-start-1 max-sm:row-span-2 max-sm:row-start-1">
        <input
          type="checkbox"
          aria-label={`Select ${model.id}`}
          checked={selected}
          onChange={({ target }) => onSelect(model.id, target.checked)}
          className="block size-3.5 accent-accent"
        />
      </td>
      <td className="min-w-0 max-sm:col-span-2 max-sm:col-start-2 max-sm:row-start-1">
        <div className="-my-1 flex min-w-0 items-center gap-1.5 max-sm:my-0 max-sm:flex-wrap max-sm:gap-y-0">
          <span
            className={cn(
              'truncate font-medium font-mono max-sm:wrap-anywhere max-sm:whitespace-normal',
              targets !== '' && 'shrink-0 sm:max-w-[65%]',
            )}
            title={model.name}
          >
            {model.id}
          </span>
          {on ? null : <Badge>Off</Badge>}
          {model.retirement === null ? null : <RetirementBadge retirement={model.retirement} />}
          {!isAlias(model.override) && isEdited(model.override) ? <Badge tone="accent">Edited</Badge> : null}
          {targets === '' ? null : (
            <span className="min-w-0 truncate text-ink-3" title={targets}>
              {targets}
            </span>
          )}
          <span className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 max-sm:hidden">
            <CopyIconButton text={model.id} label={`Copy ${model.id}`} />
          </span>
        </div>
        {error ? (
          <p role="alert" className="text-bad text-xs">
            {`Could not be ${on ? 'disabled' : 'enabled'}: ${error.message}`}
          </p>
        ) : null}
      </td>
      <td className={cn('truncate max-lg:hidden', on && 'text-ink-2')} title={model.providers.join(', ')}>
        {providerName}
        {others > 0 ? <span className="text-ink-3"> +{others}</span> : null}
      </td>
      {showSuggestions ? (
        <td className="min-w-0 max-sm:col-span-2 max-sm:col-start-2 max-sm:row-start-2">
          {suggestion ? (
            <Suggestion model={model} suggestion={suggestion} />
          ) : (
            <span className="text-ink-3">None known</span>
          )}
        </td>
      ) : (
        <td className="max-xl:hidden">
          {model.capabilitiesKnown ? (
            <CapabilityBadges capabilities={model.capabilities} />
          ) : (
            <span className="text-ink-3" title="Requests with tools and JSON are sent, and may be rejected.">
              Unknown
            </span>
          )}
        </td>
      )}
      {showSuggestions ? null : (
        <>
          <td className={cn('text-right max-lg:hidden', on && 'text-ink-2')}>
            {model.contextWindow === null ? '–' : formatCount(model.contextWindow, true)}
          </td>
          <PriceCells model={model} decimals={decimals} onEdit={edit} />
        </>
      )}
      <td className="max-sm:col-start-4 max-sm:pl-0! max-sm:row-span-2 max-sm:row-start-1">
        <div className="flex items-center justify-end gap-2">
          <Switch label={`Use ${model.id}`} on={on} onChange={setEnabled} />
          <IconButton label={`Edit ${model.id}`} icon={Pencil} small onClick={edit} />
        </div>
      </td>
    </tr>
  )
})

const WARNED_DAYS = 30

/** The day from which the vendor no longer serves the model. */
function RetirementBadge({ retirement: { on, source } }: { retirement: Retirement }) {
  const now = useNow()
  const days = (Date.parse(on) - now) / 86_400_000
  const day = formatDate(on, 'UTC')
  return (
    <span
      className="shrink-0"
      title={source === null ? `By the list of the provider` : `Announced at ${source}`}
    >
      <Badge tone={days <= 0 ? 'bad' : days <= WARNED_DAYS ? 'warn' : 'plain'}>
        {days <= 0 ? `Retired ${day}` : `Retires ${day}`}
      </Badge>
    </span>
  )
}

/** The target of an alias, and the models that are called when it fails. */
function describeTargets({ override, fallbacks }: ModelRecord): string {
  const alias = isAlias(override) ? [`Alias of ${override?.upstreamModel}`] : []
  const then = fallbacks.length > 0 ? [`then ${fallbacks.join(', ')}`] : []
  return [...alias, ...then].join(', ')
}

interface ModelSwitch {
  /** As the user last set it, or, if that failed, the gateway's value. */
  enabled: boolean
  /** Why the last change failed, until the next one. */
  error: ApiError | null
  setEnabled(enabled: boolean): void
}

/** Shows a model as enabled or disabled immediately, before the gateway has responded. */
function useModelSwitch(model: ModelRecord): ModelSwitch {
  const { isPending, variables, error, mutate } = useMutation({
    mutationFn: (enabled: boolean) =>
      saveWithUndo({
        message: `${model.id} ${enabled ? 'enabled' : 'disabled'}.`,
        save: () => changeEnabled(model.id, enabled),
        undo: () => changeEnabled(model.id, !enabled),
      }),
    // A model's changes run one at a time, in order.
    scope: { id: `enabled ${model.id}` },
  })
  return { enabled: isPending ? variables : model.enabled, error, setEnabled: mutate }
}

async function changeEnabled(id: string, enabled: boolean): Promise<void> {
  // The current one: an earlier change may have ended since the switch was rendered.
  const model = queryClient.getQueryData(queries.models.queryKey)?.find((one) => one.id === id)
  if (!model || model.enabled === enabled) return
  const override = setModelEnabled(model.override, enabled)
  if (override === null) await deleteOverride(id)
  else await putModel(id, override)
}

/** More than any price per million tokens needs. */
const MAX_DECIMALS = 4

/** The decimals with which all prices of a table are written. */
export function choosePriceDecimals(models: readonly Pick<ModelRecord, 'pricing'>[]): number {
  const prices = models.flatMap(({ pricing }) =>
    pricing ? [pricing.inputPerMillion, pricing.outputPerMillion] : [],
  )
  return Math.min(MAX_DECIMALS, exactUsdDecimals(prices))
}

/** In the narrowest windows they stand below the name, side by side. */
const besideEachOther = 'text-right max-sm:row-start-2 max-sm:text-left max-sm:text-ink-3'

interface PriceCellsProps {
  model: ModelRecord
  decimals: number
  onEdit: () => void
}

/** The two cells of a model's price. Where it comes from is marked if it is not from the price data of Tollgate. */
function PriceCells({ model, decimals, onEdit }: PriceCellsProps) {
  const { pricing, priceOrigin } = model
  if (pricing === null) {
    return (
      <td colSpan={2} className={cn(besideEachOther, 'max-sm:col-span-2 max-sm:col-start-2')}>
        <button
          type="button"
          aria-label={`Set the price of ${model.id}`}
          onClick={onEdit}
          className="target rounded-sm font-medium text-warn hover:underline"
        >
          No price
        </button>
      </td>
    )
  }
  const title = priceOrigin ? formatPriceOrigin(priceOrigin) : undefined
  const mark = priceOrigin ? <Mark origin={priceOrigin} /> : null
  const { inputPerMillion: input, outputPerMillion: output } = pricing
  const [unitPrice] = input === 0 && output === 0 ? formatUnitPrices(pricing) : []
  if (unitPrice !== undefined || isFree(pricing)) {
    return (
      <td
        colSpan={2}
        className={cn(besideEachOther, 'truncate max-sm:col-span-2 max-sm:col-start-2')}
        title={title}
      >
        {mark}
        {unitPrice ?? 'Free'}
      </td>
    )
  }
  return (
    <>
      <td
        className={cn(
          besideEachOther,
          "whitespace-nowrap max-sm:col-start-2 max-sm:pr-0! max-sm:after:content-['_in']",
        )}
        title={title}
      >
        {mark}
        <ColumnMoney usd={input} decimals={decimals} />
      </td>
      <td
        className={cn(besideEachOther, "whitespace-nowrap max-sm:col-start-3 max-sm:after:content-['_out']")}
        title={title}
      >
        <ColumnMoney usd={output} decimals={decimals} />
      </td>
    </>
  )
}

const marks: Partial<Record<PriceOrigin['source'], string>> = {
  user: 'own',
  provider: 'list',
}

function Mark({ origin: { source, match } }: { origin: PriceOrigin }) {
  if (match === 'approximate') return <span className="mr-1.5 text-warn">about</span>
  const mark = marks[source]
  return mark ? <span className="mr-1.5 text-ink-3 text-xs">{mark}</span> : null
}
