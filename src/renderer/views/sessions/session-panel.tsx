import { useQuery } from '@tanstack/react-query'
import { Maximize2, Minimize2, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Session } from '../../../shared/sessions.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { cn } from '../../components/cn.ts'
import { LoadError, SkeletonRows } from '../../components/notice.tsx'
import { useNow } from '../../components/relative-time.tsx'
import { formatCount } from '../../format.ts'
import { openLimitDialog } from '../../limits/limit-dialog-state.ts'
import { useTimeZone } from '../../server-state/hooks.ts'
import { sessionQuery } from '../../server-state/session-list.ts'
import { nameSession } from '../../session-name.ts'
import { ModelCosts } from './model-costs.tsx'
import { SessionFacts } from './session-facts.tsx'
import { Steps } from './steps.tsx'
import { useSteps } from './use-steps.ts'

interface SessionPanelProps {
  /** Null while none is open. */
  id: string | null
  onClose: () => void
}

export function SessionPanel({ id, onClose }: SessionPanelProps) {
  const [wide, setWide] = useState(false)
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
          className={cn(
            'fixed inset-y-0 right-0 z-30 flex max-w-full animate-slide flex-col border-line border-l bg-raised shadow-float',
            wide ? 'w-[min(60rem,100vw)]' : 'w-[560px]',
          )}
        >
          <header className="flex h-14 shrink-0 items-center gap-1 border-line border-b pr-3 pl-5">
            <Dialog.Title className="mr-auto font-semibold text-lg">Session</Dialog.Title>
            <IconButton
              label={wide ? 'Make the panel narrower' : 'Make the panel wider'}
              icon={wide ? Minimize2 : Maximize2}
              small
              onClick={() => setWide(!wide)}
            />
            <IconButton label="Close" icon={X} small onClick={onClose} />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto [scrollbar-gutter:stable]">
            {id === null ? null : <Content key={id} id={id} />}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Content({ id }: { id: string }) {
  const { data: session, error, refetch } = useQuery(sessionQuery(id))
  const { steps, error: stepsError, retry } = useSteps(id)
  if (session === undefined) {
    return error ? <LoadError error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={8} />
  }
  return (
    <div className="flex flex-col gap-6 p-5">
      <Heading session={session} />
      <SessionFacts session={session} />
      {steps === undefined ? (
        stepsError ? (
          <LoadError error={stepsError} onRetry={retry} />
        ) : (
          <SkeletonRows rows={6} />
        )
      ) : (
        <>
          <Steps session={session} steps={steps} />
          {session.prunedRequests === 0 || steps.length === 0 ? null : (
            <p className="-mt-4 text-ink-3 text-sm">
              {formatCount(session.prunedRequests)} older requests are no longer in the log. The figures above
              contain them.
            </p>
          )}
          <ModelCosts records={steps.map(({ record }) => record)} />
        </>
      )}
    </div>
  )
}

function Heading({ session }: { session: Session }) {
  const now = useNow()
  const zone = useTimeZone()
  return (
    <div>
      <p className="break-words font-semibold text-lg">{nameSession(session, { now, zone })}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button small onClick={() => openLimitDialog(session.keyId, { per: 'session' })}>
          Set a cap per session
        </Button>
        <Link
          href={`/requests?session=${encodeURIComponent(session.id)}`}
          className="inline-flex h-7 items-center rounded-md px-2 font-medium text-accent-ink text-sm hover:underline"
        >
          View requests
        </Link>
      </div>
    </div>
  )
}

/** After closing the panel from within it, the user continues in the list. */
function returnFocusToList(): void {
  if (document.activeElement !== document.body && document.activeElement !== null) return
  document.querySelector<HTMLElement>('tr[data-row][tabindex="0"]')?.focus({ preventScroll: true })
}
