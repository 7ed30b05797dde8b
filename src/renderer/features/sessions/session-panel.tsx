import { useQuery } from '@tanstack/react-query'
import { Dialog } from 'radix-ui'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Session } from '../../../shared/api/sessions.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { sessionQuery } from '../../data/session-list.ts'
import { nameSession } from '../../data/session-name.ts'
import { Button } from '../../kit/button.tsx'
import { formatCount } from '../../kit/format.ts'
import { ListPanel, PanelButtons } from '../../kit/list-panel.tsx'
import { LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { useNow } from '../../kit/use-now.ts'
import { CopyLink } from '../../parts/controls/copy-link.tsx'
import { openLimitDialog } from '../../parts/limits/limit-dialog-state.ts'
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
    <ListPanel
      open={id !== null}
      wide={wide}
      width="w-[560px]"
      onClose={onClose}
      onReturnFocus={returnFocusToList}
    >
      <header className="flex h-14 shrink-0 items-center gap-1 border-line border-b pr-3 pl-5">
        <Dialog.Title className="mr-auto font-semibold text-lg">Session</Dialog.Title>
        {id === null ? null : <CopyLink key={id} kind="sessions" id={id} />}
        <PanelButtons wide={wide} onToggleWide={() => setWide(!wide)} onClose={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto [scrollbar-gutter:stable]">
        {id === null ? null : <Content key={id} id={id} />}
      </div>
    </ListPanel>
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
