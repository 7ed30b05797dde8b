import type { ReactNode } from 'react'
import type { RequestBodies, RequestRecord } from '../../../shared/api/requests.ts'
import { LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { NotStored } from '../../parts/requests/not-stored.tsx'
import { useRequestBodies } from '../../parts/requests/request-bodies.ts'

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
