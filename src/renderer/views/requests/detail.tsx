// Owns the panel beside the list with all that is known of one request.
import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useEffect, useState } from 'react'
import { type ApiError, toApiError } from '../../api-error.ts'
import { IconButton } from '../../components/button.tsx'
import { LoadError, SkeletonRows } from '../../components/notice.tsx'
import { useRequests } from '../../stores/requests.ts'
import { RequestFacts } from './request-facts.tsx'

interface DetailProps {
  id: string | null
  onOpen: (id: string) => void
  onClose: () => void
}

export function Detail({ id, onOpen, onClose }: DetailProps) {
  return (
    // Not modal: the list beside it stays usable, and arrow keys walk through it.
    <Dialog.Root open={id !== null} modal={false} onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            focusListAgain()
          }}
          onInteractOutside={(event) => event.preventDefault()}
          className="fixed inset-y-0 right-0 z-30 flex w-[440px] max-w-full animate-slide flex-col border-line border-l bg-raised shadow-float"
        >
          <header className="flex h-14 shrink-0 items-center justify-between border-line border-b pr-3 pl-5">
            <Dialog.Title className="font-semibold text-lg">Request</Dialog.Title>
            <IconButton label="Close" icon={X} small onClick={onClose} />
          </header>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard */}
          <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto bg-raised p-5 -outline-offset-2">
            {id ? <Opened key={id} id={id} onOpen={onOpen} /> : null}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Whoever closed the panel from within it goes on in the list. */
function focusListAgain(): void {
  if (document.activeElement !== document.body && document.activeElement !== null) return
  document.querySelector<HTMLElement>('[role=row][tabindex="0"]')?.focus({ preventScroll: true })
}

function Opened({ id, onOpen }: Pick<DetailProps, 'onOpen'> & { id: string }) {
  const record = useRequests((store) => (store.opened?.id === id ? store.opened : null))
  const [error, setError] = useState<ApiError | null>(null)
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try is another read
  useEffect(() => {
    const control = new AbortController()
    setError(null)
    useRequests
      .getState()
      .open(id, control.signal)
      .then((row) => {
        // The call was counted in the record of an earlier one.
        if (row !== id && !control.signal.aborted) onOpen(row)
      })
      .catch((thrown: unknown) => {
        if (!control.signal.aborted) setError(toApiError(thrown))
      })
    return () => control.abort()
  }, [id, tries])
  if (record) return <RequestFacts record={record} />
  if (error) return <LoadError error={error} onRetry={() => setTries(tries + 1)} />
  return <SkeletonRows rows={8} />
}
