import { useQuery } from '@tanstack/react-query'
import { FileX2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { RequestBodies, RequestRecord } from '../../../shared/requests.ts'
import { storesBodies } from '../../../shared/stored-bodies.ts'
import { Button } from '../../components/button.tsx'
import { EmptyState, InlineError, LoadError, SkeletonRows } from '../../components/notice.tsx'
import { useNow } from '../../components/relative-time.tsx'
import { updateSettings } from '../../server-state/mutations.ts'
import { queries } from '../../server-state/queries.ts'
import { useSubmit } from '../../use-submit.ts'
import { useRequestBodies } from './request-bodies.ts'

interface StoredContentProps {
  record: RequestRecord
  children: (bodies: RequestBodies) => ReactNode
}

/** Shows the stored prompt and answer, or why there are none. */
export function StoredContent({ record, children }: StoredContentProps) {
  const { data, error, refetch } = useRequestBodies(record)
  if (!record.bodiesKept) return <NotStored record={record} />
  if (data) return children(data)
  return error ? <LoadError error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={8} />
}

function NotStored({ record }: { record: RequestRecord }) {
  const { data: settings } = useQuery(queries.settings)
  const now = useNow()
  const { pending, error, submit } = useSubmit()
  if (record.status === 'rejected') {
    return (
      <EmptyState icon={FileX2} title="Not stored">
        Tollgate rejected this request before it reached a provider. The contents of such requests are never
        stored.
      </EmptyState>
    )
  }
  if (settings && storesBodies(settings, now)) {
    return (
      <EmptyState icon={FileX2} title={record.status === 'running' ? 'Not stored yet' : 'Not stored'}>
        {record.status === 'running'
          ? 'The prompt and the answer appear here when the request ends.'
          : 'Storage is on, but this request ended before that, or is larger than 4 MB or not text. The messages of new requests appear here.'}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={FileX2}
      title="Prompt and answer are not stored"
      action={
        <Button
          variant="primary"
          pending={pending}
          onClick={() => void submit(() => updateSettings({ storeBodies: true }))}
        >
          Turn on storage
        </Button>
      }
    >
      Storage is off. When you turn it on, the messages of new requests are kept on this computer and can be
      read here.
      <InlineError error={error} />
    </EmptyState>
  )
}
