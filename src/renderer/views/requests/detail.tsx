// Owns the panel beside the list with all that is known of one request.
import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useEffect, useState } from 'react'
import type { RequestRecord } from '../../../shared/requests.ts'
import { api } from '../../api.ts'
import { type ApiError, toApiError } from '../../api-error.ts'
import { IconButton } from '../../components/button.tsx'
import { InlineError, SkeletonRows } from '../../components/notice.tsx'
import { useRequests } from '../../stores/requests.ts'
import { RequestFacts } from './request-facts.tsx'

export function Detail({ id, onClose }: { id: string | null; onClose: () => void }) {
  return (
    // Not modal: the list beside it stays usable, and arrow keys walk through it.
    <Dialog.Root open={id !== null} modal={false} onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          onInteractOutside={(event) => event.preventDefault()}
          className="fixed inset-y-0 right-0 z-30 flex w-[440px] max-w-full animate-slide flex-col border-line border-l bg-raised shadow-float"
        >
          <header className="flex h-14 shrink-0 items-center justify-between border-line border-b pr-3 pl-5">
            <Dialog.Title className="font-semibold text-lg">Request</Dialog.Title>
            <IconButton label="Close" icon={X} small onClick={onClose} />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto p-5">{id ? <Loading key={id} id={id} /> : null}</div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** The record as the list has it at once, then as the gateway tells it, then as it changes. */
function Loading({ id }: { id: string }) {
  const listed = useRequests(
    (store) =>
      store.records.find((record) => record.id === id) ?? store.held.find((record) => record.id === id),
  )
  const [read, setRead] = useState<RequestRecord | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  useEffect(() => {
    const control = new AbortController()
    api('getRequest', { params: { id }, signal: control.signal }).then(setRead, (thrown: unknown) => {
      if (!control.signal.aborted) setError(toApiError(thrown))
    })
    return () => control.abort()
  }, [id])
  // What was read is final once it has stopped running; until then the live state is the newer one.
  const record = read && read.status !== 'running' ? read : (listed ?? read)
  if (record) return <RequestFacts record={record} />
  if (error) return <InlineError error={error} />
  return <SkeletonRows rows={8} />
}
