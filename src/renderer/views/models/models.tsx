import { useQuery } from '@tanstack/react-query'
import { Boxes, Plus } from 'lucide-react'
import { Link, useSearchParams } from 'wouter'
import { Button } from '../../components/button.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../components/notice.tsx'
import { Card, Page } from '../../components/page.tsx'
import { queries } from '../../server-state/queries.ts'
import { useAddressParam } from '../../use-address-param.ts'
import { EditModel } from './edit-model.tsx'
import { matchesModelFilter, readModelFilter } from './model-filter.ts'
import { ModelFilterBar } from './model-filter-bar.tsx'
import { ModelTable } from './model-table.tsx'
import { PriceLine } from './price-line.tsx'

export function Models() {
  const { data: all, error, isPending, isLoadingError, refetch } = useQuery(queries.models)
  const [search] = useSearchParams()
  const [editedId, setEditedId] = useAddressParam('edit')
  const [adding, setAdding] = useAddressParam('new')
  const edited = all?.find(({ id }) => id === editedId)
  const filter = readModelFilter(search)
  const found = (all ?? []).filter((model) => matchesModelFilter(filter, model))
  return (
    <Page
      title="Models"
      subtitle="All models of your providers. Disabled models cannot be called."
      actions={
        <Button icon={Plus} onClick={() => setAdding('1')} disabled={all === undefined}>
          Add alias
        </Button>
      }
    >
      {isLoadingError ? null : <PriceLine />}
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
            <ModelTable models={found} onEdit={({ id }) => setEditedId(id)} />
          </>
        ) : null}
      </Card>
      {edited ? <EditModel key={edited.id} model={edited} onClose={() => setEditedId(null)} /> : null}
      {adding && all ? <EditModel model={null} onClose={() => setAdding(null)} /> : null}
    </Page>
  )
}
