import { useQuery } from '@tanstack/react-query'
import { FileX2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { storesBodies } from '../../../shared/api/terms.ts'
import { api } from '../../data/api.ts'
import { useTimeZone } from '../../data/hooks.ts'
import {
  type BodyStorage,
  bodyStorageUpdates,
  LIMITED_MINUTES,
  updateSettings,
} from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { volatileQuery } from '../../data/query-client.ts'
import { Button } from '../../kit/button.tsx'
import { formatTime, quoteName } from '../../kit/format.ts'
import { EmptyState, InlineError, SkeletonRows } from '../../kit/notice.tsx'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'

/** Says why a request has no messages here, and what to do for the next ones. */
export function NotStored({ record }: { record: RequestRecord }) {
  const { data: settings } = useQuery(queries.settings)
  const { data: keys } = useQuery(queries.keys)
  const timeZone = useTimeZone()
  const now = useNow()
  if (record.status === 'rejected') {
    return (
      <Reason title="Not stored">
        Tollgate rejected this request before it reached a provider. The contents of such requests are never
        stored.
      </Reason>
    )
  }
  if (settings === undefined) return <SkeletonRows rows={4} />
  const ofKey = keys?.find(({ id }) => id === record.keyId)?.storeBodies ?? null
  if (ofKey === false) {
    const edit = (
      <Link href={`/keys?edit=${record.keyId}`} className="text-accent-ink underline">
        Edit key
      </Link>
    )
    return (
      <Reason title="Not stored">
        Prompts and answers of the key {quoteName(record.keyName)} are never stored. {edit}
      </Reason>
    )
  }
  if (ofKey === null && !storesBodies(settings, now)) {
    return (
      <TurnOnStorage title="Prompt and answer are not stored">
        Storage is off. When you turn it on, the messages of new requests are kept on this computer and can be
        read here.
      </TurnOnStorage>
    )
  }
  if (record.status === 'running') {
    return (
      <Reason title="Not stored yet">The prompt and the answer appear here when the request ends.</Reason>
    )
  }
  const until = settings.storeBodiesUntil
  const isLimited = ofKey === null && !settings.storeBodies && until !== null
  return (
    <Reason title="Not stored">{`Storage is on${isLimited ? ` until ${formatTime(until, timeZone)}` : ''}. This request ended before that, or it is larger than 4 MB, or not text. The messages of new requests can be read here.`}</Reason>
  )
}

function Reason({ title, children }: { title: string; children: ReactNode }) {
  return (
    <EmptyState icon={FileX2} title={title}>
      {children}
    </EmptyState>
  )
}

interface TurnOnStorageProps {
  title: string
  /** The actions that are possible once new requests are stored. */
  children: ReactNode
}

/** Offers to store the prompts of new requests, where those of old ones would be shown. */
function TurnOnStorage({ title, children }: TurnOnStorageProps) {
  const { pending, error, submit } = useSubmit()
  const store = (storage: BodyStorage) => void submit(() => updateSettings(bodyStorageUpdates[storage]()))
  return (
    <EmptyState
      icon={FileX2}
      title={title}
      action={
        <>
          <Button
            variant="primary"
            pending={pending}
            onClick={() => store('limited')}
          >{`Store for ${LIMITED_MINUTES} minutes`}</Button>
          <Button pending={pending} onClick={() => store('always')}>
            Turn on storage
          </Button>
        </>
      }
    >
      {children}
      <InlineError error={error} />
    </EmptyState>
  )
}

/** The stored prompt and answer of a request, read when a tab shows them. */
export function useRequestBodies({ id, bodiesKept }: RequestRecord, enabled = true) {
  return useQuery({
    ...volatileQuery(['request-bodies', id], () => api('getRequestBodies', { params: { id } })),
    // They never change, and may be large: none stays in memory for long.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    enabled: enabled && bodiesKept,
  })
}
