// Owns the view of all models: finding one, turning it on or off, and saying what of it should be otherwise.
import { useQuery } from '@tanstack/react-query'
import { Boxes, Plus } from 'lucide-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { ModelRecord } from '../../../shared/models.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../components/notice.tsx'
import { Card, Page } from '../../components/page.tsx'
import { queries } from '../../server-state/queries.ts'
import { EditModel } from './edit-model.tsx'
import { matches, readModelFilter } from './matching.ts'
import { ModelFilterBar } from './model-filter.tsx'
import { ModelTable } from './model-table.tsx'
import { PriceLine } from './price-line.tsx'

export function Models() {
  const { data: all, error, isPending, isLoadingError, refetch } = useQuery(queries.models)
  const [search] = useSearchParams()
  /** `new` for an alias that is being made. */
  const [editing, setEditing] = useState<ModelRecord | 'new' | null>(null)
  const filter = readModelFilter(search)
  const found = (all ?? []).filter((model) => matches(filter, model))
  return (
    <Page
      title="Models"
      subtitle="What can be called, whoever serves it. What is off is not served."
      actions={
        <Button icon={Plus} onClick={() => setEditing('new')} disabled={all === undefined}>
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
            A model shows here once a provider that serves it is set up and turned on.
          </EmptyState>
        ) : null}
        {all && all.length > 0 ? (
          <>
            <ModelFilterBar filter={filter} count={found.length} />
            <ModelTable models={found} onEdit={setEditing} />
          </>
        ) : null}
      </Card>
      {editing ? (
        <EditModel model={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />
      ) : null}
    </Page>
  )
}
