import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import type { RequestRecord } from '../../../shared/requests.ts'
import type { ApiError } from '../../api-error.ts'
import { IconButton } from '../../components/button.tsx'
import { LoadError, SkeletonRows } from '../../components/notice.tsx'
import { RequestFacts } from './request-facts.tsx'

interface DetailProps {
  /** Null while none is open. */
  id: string | null
  /** Undefined until it has been read. */
  record: RequestRecord | undefined
  error: ApiError | null
  onRetry: () => void
  onClose: () => void
}

export function Detail({ id, record, error, onRetry, onClose }: DetailProps) {
  return (
    // Not modal: the list beside it stays usable, and arrow keys walk through it.
    <Dialog.Root open={id !== null} modal={false} onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            returnFocusToList()
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
            {id && record ? <RequestFacts key={id} record={record} /> : null}
            {id && !record && error ? <LoadError error={error} onRetry={onRetry} /> : null}
            {id && !record && !error ? <SkeletonRows rows={8} /> : null}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** After closing the panel from within it, the user continues in the list. */
function returnFocusToList(): void {
  if (document.activeElement !== document.body && document.activeElement !== null) return
  document.querySelector<HTMLElement>('[role=row][tabindex="0"]')?.focus({ preventScroll: true })
}
