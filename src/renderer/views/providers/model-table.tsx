// Owns the list of models that can be served now, with what they can do and what they cost.
import { Boxes, Search, X } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { ModelRecord } from '../../../shared/models.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyIcon } from '../../components/copy.tsx'
import { Empty, Failed, SkeletonRows } from '../../components/notice.tsx'
import { Card } from '../../components/page.tsx'
import { formatCount, formatPerMillion } from '../../format.ts'
import { useModels } from '../../stores/models.ts'
import { useProviders } from '../../stores/providers.ts'
import { originWords } from '../requests/cost-receipt.tsx'

/** Rows drawn at once; the search narrows longer lists. */
const MOST_SHOWN = 200

export function ModelTable({ providerId, onAdd }: { providerId: string | null; onAdd: () => void }) {
  const { state, error, models, refresh } = useModels()
  const providers = useProviders((store) => store.providers)
  const [, setSearch] = useSearchParams()
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text.trim().toLowerCase())
  if (state === 'first') return <SkeletonRows />
  if (state === 'failed') return <Failed error={error} onRetry={() => void refresh()} />
  if (models.length === 0) {
    return (
      <Card>
        <Empty icon={Boxes} title="No models yet" action={<Button onClick={onAdd}>Add provider</Button>}>
          A model shows here once a provider that serves it is set up and turned on.
        </Empty>
      </Card>
    )
  }
  const found = models.filter(
    (model) =>
      (providerId === null || model.providers.includes(providerId)) &&
      (wanted === '' ||
        `${model.id} ${model.name} ${model.providers.join(' ')}`.toLowerCase().includes(wanted)),
  )
  return (
    <Card>
      <div className="flex items-center gap-2 border-line border-b px-4 py-2.5">
        <div className="relative max-w-72 flex-1">
          <Search size={13} aria-hidden className="absolute top-[7px] left-2 text-ink-3" />
          <input
            type="search"
            aria-label="Search models"
            placeholder="Search models"
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="h-7 w-full rounded-md border border-line-strong bg-surface pr-2 pl-7 text-sm placeholder:text-ink-3"
          />
        </div>
        {providerId ? (
          <Button small icon={X} onClick={() => setSearch({ tab: 'models' })}>
            {providers.find(({ id }) => id === providerId)?.name ?? providerId}
          </Button>
        ) : null}
        <span className="ml-auto text-ink-3 text-sm">
          {found.length === 1 ? '1 model' : `${found.length} models`}
        </span>
      </div>
      <table className="w-full table-fixed border-collapse text-sm">
        <thead>
          <tr className="h-9 border-b text-left text-ink-3 text-xs [&>th]:px-4 [&>th]:font-medium">
            <th>Model</th>
            <th className="w-28 max-lg:hidden">Provider</th>
            <th className="w-64 max-xl:hidden">Capabilities</th>
            <th className="w-22 text-right max-lg:hidden">Context</th>
            <th className="w-56 text-right">USD per million, in / out</th>
          </tr>
        </thead>
        <tbody>
          {found.slice(0, MOST_SHOWN).map((model) => (
            <ModelRow key={model.id} model={model} />
          ))}
        </tbody>
      </table>
      {found.length > MOST_SHOWN ? (
        <p className="px-4 py-3 text-center text-ink-3 text-sm">
          {found.length - MOST_SHOWN} more. Search to narrow the list.
        </p>
      ) : null}
      {found.length === 0 ? (
        <p className="px-4 py-10 text-center text-ink-3">No model of that name.</p>
      ) : null}
    </Card>
  )
}

function ModelRow({ model }: { model: ModelRecord }) {
  const { pricing, priceOrigin } = model
  return (
    <tr aria-label={model.id} className="group h-11 border-b last:border-b-0 [&>td]:px-4">
      <td>
        <div className="flex items-center gap-1">
          <span className="truncate font-medium font-mono" title={model.name}>
            {model.id}
          </span>
          <span className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
            <CopyIcon text={model.id} label={`Copy ${model.id}`} />
          </span>
        </div>
      </td>
      <td className="truncate text-ink-2 max-lg:hidden" title={model.providers.join(', ')}>
        {model.provider}
        {model.providers.length > 1 ? (
          <span className="text-ink-3"> +{model.providers.length - 1}</span>
        ) : null}
      </td>
      <td className="max-xl:hidden">
        <div className="flex gap-1 overflow-hidden">
          {model.capabilities
            .filter((capability) => capability !== 'streaming')
            .map((capability) => (
              <Badge key={capability}>{capability}</Badge>
            ))}
        </div>
      </td>
      <td className="text-right text-ink-2 max-lg:hidden">
        {model.contextWindow === null ? '–' : formatCount(model.contextWindow, true)}
      </td>
      <td className="truncate text-right" title={priceOrigin ? originWords(priceOrigin) : undefined}>
        {pricing ? (
          <>
            {formatPerMillion(pricing.inputPerMillion)} / {formatPerMillion(pricing.outputPerMillion)}
            <span className="block truncate text-ink-3 text-xs">
              {priceOrigin ? originWords(priceOrigin) : ''}
            </span>
          </>
        ) : (
          <span className="text-ink-3">unknown</span>
        )}
      </td>
    </tr>
  )
}
