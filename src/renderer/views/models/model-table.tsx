// Owns the rows of models: what each can do, what it costs, where that price came from.
import { Pencil } from 'lucide-react'
import type { ModelRecord } from '../../../shared/models.ts'
import { Badge } from '../../components/badge.tsx'
import { IconButton } from '../../components/button.tsx'
import { CopyIcon } from '../../components/copy.tsx'
import { formatCount, formatPerMillion } from '../../format.ts'
import { CapabilityBadges } from './capabilities.tsx'
import { originWords } from './price-words.ts'

/** Rows drawn at once; the search narrows longer lists. */
const MOST_SHOWN = 200

interface ModelTableProps {
  models: readonly ModelRecord[]
  onEdit: (model: ModelRecord) => void
}

export function ModelTable({ models, onEdit }: ModelTableProps) {
  if (models.length === 0) {
    return <p className="px-4 py-10 text-center text-ink-3">No model fits. Search for less.</p>
  }
  return (
    <>
      <table className="w-full table-fixed border-collapse text-sm">
        <thead>
          <tr className="h-9 border-b text-left text-ink-3 text-xs [&>th]:px-4 [&>th]:font-medium">
            <th>Model</th>
            <th className="w-32 max-lg:hidden">Provider</th>
            <th className="w-64 max-xl:hidden">Capabilities</th>
            <th className="w-22 text-right max-lg:hidden">Context</th>
            <th className="w-56 text-right">USD per million, in / out</th>
            <th className="w-14">
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

function ModelRow({ model, onEdit }: { model: ModelRecord; onEdit: () => void }) {
  const { pricing, priceOrigin } = model
  const approximate = priceOrigin?.match === 'approximate'
  return (
    <tr aria-label={model.id} className="group h-12 border-b last:border-b-0 [&>td]:px-4">
      <td>
        <div className="flex min-w-0 items-center gap-1.5">
          <span className="truncate font-medium font-mono" title={model.name}>
            {model.id}
          </span>
          {model.overridden ? <Badge tone="accent">Changed</Badge> : null}
          <span className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
            <CopyIcon text={model.id} label={`Copy ${model.id}`} />
          </span>
        </div>
        {model.fallbacks.length > 0 ? (
          <p className="truncate text-ink-3 text-xs">then {model.fallbacks.join(', ')}</p>
        ) : null}
      </td>
      <td className="truncate text-ink-2 max-lg:hidden" title={model.providers.join(', ')}>
        {model.provider}
        {model.providers.length > 1 ? (
          <span className="text-ink-3"> +{model.providers.length - 1}</span>
        ) : null}
      </td>
      <td className="max-xl:hidden">
        <CapabilityBadges of={model.capabilities} />
      </td>
      <td className="text-right text-ink-2 max-lg:hidden">
        {model.contextWindow === null ? '–' : formatCount(model.contextWindow, true)}
      </td>
      <td className="text-right">
        {pricing ? (
          <>
            {approximate ? <span className="text-warn">~ </span> : null}
            {formatPerMillion(pricing.inputPerMillion)} / {formatPerMillion(pricing.outputPerMillion)}
            {priceOrigin ? (
              <span className="block truncate text-ink-3 text-xs" title={originWords(priceOrigin)}>
                {approximate ? 'approximate: ' : ''}
                {originWords(priceOrigin)}
              </span>
            ) : null}
          </>
        ) : (
          <span className="text-warn">unknown</span>
        )}
      </td>
      <td>
        <IconButton label={`Edit ${model.id}`} icon={Pencil} small onClick={onEdit} />
      </td>
    </tr>
  )
}
