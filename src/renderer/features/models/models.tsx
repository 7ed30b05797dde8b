import { useQuery } from '@tanstack/react-query'
import { Boxes, Plus } from 'lucide-react'
import { useMemo } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { ModelRecord } from '../../../shared/api/models.ts'
import { useProviderName } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { Card, Page } from '../../kit/page.tsx'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { EditModel } from './edit-model.tsx'
import { matchesModelFilter, readModelFilter } from './model-filter.ts'
import { ModelFilterBar } from './model-filter-bar.tsx'
import { ModelTable } from './model-table.tsx'
import { PriceLine } from './price-line.tsx'
import { UnpricedNotice } from './unpriced-notice.tsx'
import { usePriceSuggestions } from './use-price-suggestions.ts'

export function Models() {
  const { data: all, error, isPending, isLoadingError, refetch } = useQuery(queries.models)
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
      {isLoadingError ? null : <PriceLine />}
      {all ? <UnpricedNotice models={all} shown={filter.price === 'none'} /> : null}
      <Card>
        {isPending ? <SkeletonRows rows={8} /> : null}
        {isLoadingError ? <LoadError error={error} onRetry={() => void refetch()} /> : null}
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
