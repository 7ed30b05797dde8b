import { useQuery } from '@tanstack/react-query'
import { Boxes, CircleAlert, Plus, RefreshCw } from 'lucide-react'
import { useMemo } from 'react'
import { toast } from 'sonner'
import { Link, useSearchParams } from 'wouter'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { PriceStatus, PriceSuggestion } from '../../../shared/api/pricing.ts'
import { useProviderName } from '../../data/hooks.ts'
import { fetchNewestPrices } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { SegmentedControl } from '../../kit/controls.tsx'
import { FilterBar, FilterSelect } from '../../kit/filter-bar.tsx'
import { formatDate, formatQuantity } from '../../kit/format.ts'
import { EmptyState, InlineError, QueryState } from '../../kit/notice.tsx'
import { Card, Page } from '../../kit/page.tsx'
import { SearchField } from '../../kit/search-field.tsx'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { EditModel } from './edit-model.tsx'
import { type ModelFilter, matchesModelFilter, readModelFilter } from './model-filter.ts'
import { ModelTable } from './model-table.tsx'

export function Models() {
  const reading = useQuery(queries.models)
  const { data: all } = reading
  const [search] = useSearchParams()
  const [editedId, setEditedId] = useAddressParam('edit')
  const [adding, setAdding] = useAddressParam('new')
  const getName = useProviderName()
  const suggestions = usePriceSuggestions()
  const edited = all && editedId !== null ? findModel(all, editedId) : null
  const text = search.toString()
  const filter = useMemo(() => readModelFilter(new URLSearchParams(text)), [text])
  const found = useMemo(
    () =>
      (all ?? [])
        .filter((model) => matchesModelFilter(filter, model, model.providers.map(getName)))
        .map((model) => ({ model, providerName: getName(model.provider) })),
    [all, filter, getName],
  )
  return (
    <Page
      title="Models"
      subtitle="All models of your providers. Models that are off cannot be called."
      actions={
        <Button icon={Plus} onClick={() => setAdding('1')} disabled={all === undefined}>
          Add alias
        </Button>
      }
    >
      {reading.isLoadingError ? null : <PriceLine />}
      {all ? <UnpricedNotice models={all} shown={filter.price === 'none'} /> : null}
      <Card>
        <QueryState query={reading} rows={8} />
        {all?.length === 0 ? (
          <EmptyState
            icon={Boxes}
            title="No models yet"
            action={
              <Link href="/providers?add=1" className="font-medium text-accent-ink hover:underline">
                Add a provider
              </Link>
            }
          >
            Models appear here once a provider is set up and enabled.
          </EmptyState>
        ) : null}
        {all && all.length > 0 ? (
          <>
            <ModelFilterBar filter={filter} count={found.length} />
            <ModelTable
              models={found}
              emptyText={
                filter.price === 'none' && all.every(({ pricing }) => pricing !== null)
                  ? 'Every model has a price. Requests made before it was set stay without one.'
                  : 'No models match this filter.'
              }
              suggestions={suggestions}
              showSuggestions={filter.price === 'none'}
              onEdit={setEditedId}
            />
          </>
        ) : null}
      </Card>
      {edited ? (
        <EditModel
          key={edited.id}
          model={edited}
          suggestion={suggestions.get(edited.id) ?? null}
          onClose={() => setEditedId(null)}
        />
      ) : null}
      {adding && all ? <EditModel model={null} suggestion={null} onClose={() => setAdding(null)} /> : null}
    </Page>
  )
}

/** Finds a model by its id, or as clients also write it: after the id of its provider. */
function findModel(models: readonly ModelRecord[], id: string): ModelRecord | null {
  return (
    models.find((model) => model.id === id) ??
    models.find((model) => model.providers.some((provider) => `${provider}/${model.id}` === id)) ??
    null
  )
}

function ModelFilterBar({ filter, count }: { filter: ModelFilter; count: number }) {
  const { data: providers = [] } = useQuery(queries.providers)
  const [, setText] = useAddressParam('q')
  const [, setProvider] = useAddressParam('provider')
  const [, setCapability] = useAddressParam('can')
  const [, setPrice] = useAddressParam('price')
  const [, setState] = useAddressParam('state')
  return (
    <FilterBar look="card" count={formatQuantity(count, 'model')}>
      <SearchField label="Search models" value={filter.text} onChange={(text) => setText(text || null)} />
      <FilterSelect
        label="Provider"
        any="All providers"
        value={filter.provider}
        options={providers
          .filter(({ configured }) => configured)
          .map(({ id, name }) => ({ value: id, label: name }))}
        onChange={setProvider}
      />
      <FilterSelect
        label="Capability"
        any="Any capability"
        value={filter.capability}
        options={[
          { value: 'vision', label: 'Vision' },
          { value: 'tools', label: 'Tools' },
          { value: 'json', label: 'JSON' },
          { value: 'reasoning', label: 'Reasoning' },
        ]}
        onChange={setCapability}
      />
      <FilterSelect
        label="Price"
        any="Any price"
        value={filter.price}
        options={[
          { value: 'none', label: 'No price' },
          { value: 'free', label: 'Free' },
          { value: 'own', label: 'Custom price' },
          { value: 'approximate', label: 'Approximate price' },
        ]}
        onChange={setPrice}
      />
      <SegmentedControl
        label="On or off"
        value={filter.state}
        options={[
          { value: 'all', label: 'All' },
          { value: 'on', label: 'On' },
          { value: 'off', label: 'Off' },
        ]}
        onChange={(value) => setState(value === 'all' ? null : value)}
      />
    </FilterBar>
  )
}

const sources: Record<PriceStatus['source'], string> = {
  package: 'the database included in this version',
  refreshed: 'the refreshed database',
}

function PriceLine() {
  const { data: prices, error, isLoadingError } = useQuery(queries.prices)
  const { pending, error: refreshError, submit } = useSubmit()

  const fetch = () =>
    submit(async () => {
      const { asOf } = await fetchNewestPrices()
      toast.success(`Prices updated to ${formatCalendarDay(asOf)}.`)
    })

  return (
    <section aria-label="Price data" className="mb-3 flex flex-col gap-2">
      <div className="flex min-h-7 items-center gap-2 text-ink-3 text-sm max-sm:flex-wrap">
        {prices ? (
          <p className="max-sm:basis-full">
            Prices in USD per million tokens, from {sources[prices.source]},{' '}
            <span className="whitespace-nowrap">{formatCalendarDay(prices.asOf)}</span>
          </p>
        ) : null}
        {prices?.stale ? <Badge tone="warn">Stale</Badge> : null}
        <Button
          small
          variant="quiet"
          icon={RefreshCw}
          pending={pending}
          onClick={() => void fetch()}
          className="ml-auto"
        >
          Refresh prices
        </Button>
      </div>
      <InlineError error={refreshError ?? (isLoadingError ? error : null)} />
    </section>
  )
}

/** A calendar day, in no time zone. */
function formatCalendarDay(date: string): string {
  return formatDate(date, 'UTC')
}

/** The suggestions by model, for models that have no price. Read once there is such a model. */
function usePriceSuggestions(): ReadonlyMap<string, PriceSuggestion> {
  const { data: models = [] } = useQuery(queries.models)
  const unpriced = models.filter(({ pricing }) => pricing === null)
  const { data: suggestions = [] } = useQuery({ ...queries.priceSuggestions, enabled: unpriced.length > 0 })
  return useMemo(
    () => new Map(suggestions.map((suggestion) => [suggestion.model, suggestion])),
    [suggestions],
  )
}

interface UnpricedNoticeProps {
  models: readonly ModelRecord[]
  /** Only models without a price are shown. */
  shown: boolean
}

/** Says how many models and requests have no price, because their spend is missing in every total. */
function UnpricedNotice({ models, shown }: UnpricedNoticeProps) {
  const { data: usage } = useQuery(queries.usage)
  const [, setPrice] = useAddressParam('price')
  const unpriced = models.filter(({ pricing, enabled }) => pricing === null && enabled)
  const count = unpriced.length
  if (count === 0) return null
  const ids = new Set(unpriced.map(({ id }) => id))
  const requests = (usage?.models ?? [])
    .filter(({ group }) => ids.has(group))
    .reduce((sum, row) => sum + row.unpriced, 0)
  const counted = requests === 0 ? '' : ` (${formatQuantity(requests, 'request')} in the last 30 days)`
  return (
    <div className="mb-3 flex items-center gap-2.5 rounded-lg bg-warn-soft px-3.5 py-2 text-warn">
      <CircleAlert size={14} aria-hidden className="shrink-0" />
      <p className="min-w-0 flex-1">
        {`${formatQuantity(count, 'model')} ${count === 1 ? 'has' : 'have'} no price. What ${count === 1 ? 'it costs' : 'they cost'} is missing in every total${counted}, and keys with a cap cannot use ${count === 1 ? 'it' : 'them'}.`}
      </p>
      <Button small onClick={() => setPrice(shown ? null : 'none')}>
        {shown ? 'Show all models' : 'Set prices'}
      </Button>
    </div>
  )
}
