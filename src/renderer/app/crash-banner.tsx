import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { crashes, dismissCrashes } from '../data/crashes.ts'
import { Button } from '../kit/button.tsx'
import { CrashDialog } from '../parts/diagnostics/crash-dialog.tsx'

/** Says once that the last run did not end properly. */
export function CrashBanner() {
  const { data: reports = [] } = useQuery(crashes)
  const [isShown, setShown] = useState(false)
  const report = reports.find(({ seen }) => !seen)
  if (!report) return null
  return (
    <div
      role="alert"
      className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-line border-b bg-warn-soft px-4 py-2 text-warn"
    >
      <TriangleAlert size={15} aria-hidden className="shrink-0" />
      <p className="min-w-60 flex-1 basis-96">
        <strong className="font-semibold">
          {report.kind === 'hang' ? 'Tollgate hung.' : 'The last run did not end properly.'}
        </strong>{' '}
        {report.summary} No recorded charge was lost, and nothing was sent.
      </p>
      <div className="flex items-center gap-2 text-ink">
        <Button small onClick={() => setShown(true)}>
          Show report
        </Button>
        <Button small onClick={() => void dismissCrashes()}>
          Dismiss
        </Button>
      </div>
      {isShown ? <CrashDialog report={report} onClose={() => setShown(false)} /> : null}
    </div>
  )
}
