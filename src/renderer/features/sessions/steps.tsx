import { type KeyboardEvent, useRef, useState } from 'react'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import type { Session } from '../../../shared/api/sessions.ts'
import { formatLength } from '../../data/session-name.ts'
import { formatCount } from '../../kit/format.ts'
import { rowAfterKey } from '../../kit/row-keys.ts'
import { CostGrowth } from './cost-growth.tsx'
import type { Step } from './step-layout.ts'
import { StepRow } from './step-row.tsx'

const PAGE_ROWS = 10

interface StepsProps {
  session: Session
  steps: readonly Step[]
}

/** The requests of a session in time, and its growing cost. The arrow keys move between them, Enter opens one. */
export function Steps({ session, steps }: StepsProps) {
  const list = useRef<HTMLOListElement>(null)
  const [current, setCurrent] = useState<RequestRecord['id'] | null>(null)
  const at = steps.findIndex(({ record }) => record.id === current)
  const tabStop = Math.max(0, at)

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const to = rowAfterKey(event.key, tabStop, steps.length - 1, PAGE_ROWS)
    if (to === null) return
    list.current?.querySelectorAll<HTMLElement>('a')[to]?.focus()
    event.preventDefault()
  }

  if (steps.length === 0) {
    return (
      <p className="text-ink-2">Its requests are no longer in the log. Their cost stays in the totals.</p>
    )
  }
  return (
    <section>
      {/* Stays in sight, as it shows the cost up to the step that has the focus. */}
      <div className="sticky top-0 z-10 -mx-5 bg-raised px-5 pt-2">
        <h3 className="font-medium text-ink-3 text-xs">Cost over time</h3>
        <CostGrowth steps={steps} current={at < 0 ? null : at} />
      </div>
      <h3 className="mt-4 mb-1 font-medium text-ink-3 text-xs">
        {steps.length === 1 ? '1 step' : `${formatCount(steps.length)} steps`}
      </h3>
      <ol
        ref={list}
        aria-label="Steps"
        onKeyDown={onKeyDown}
        onPointerLeave={() => setCurrent(null)}
        className="-mx-2"
      >
        {steps.map((step, index) => (
          <li key={step.record.id}>
            {step.pauseMs === 0 ? null : (
              <p className="flex items-center gap-2 px-2 py-1 text-ink-3 text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
                {formatLength(step.pauseMs)} pause
              </p>
            )}
            <StepRow
              step={step}
              sessionId={session.id}
              tabStop={index === tabStop}
              current={index === at}
              onCurrent={setCurrent}
            />
          </li>
        ))}
      </ol>
    </section>
  )
}
