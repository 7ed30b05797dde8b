// The imported history of agents in views: its switch, its amounts, its import.

import { useTimeZone } from '../../../renderer/data/hooks.ts'
import { Button } from '../../../renderer/kit/button.tsx'
import { Switch } from '../../../renderer/kit/controls.tsx'
import { formatCount, formatDay } from '../../../renderer/kit/format.ts'
import { Money } from '../../../renderer/kit/money.tsx'
import { ErrorText } from '../../../renderer/kit/notice.tsx'
import { useNow } from '../../../renderer/kit/use-now.ts'
import { useSubmit } from '../../../renderer/kit/use-submit.ts'
import { HISTORY_COLOR } from '../../../renderer/parts/usage-chart/plot.ts'
import type { HistoryState } from '../../../shared/api/history.ts'
import { cancelImport, chooseHistory, HISTORY_NOTE, importHistory, useHistoryChoice } from './use-history.ts'

export const IMPORT_TEXT =
  'Token counts, models, times, ids, and the names of folders and branches are read from their logs and stored. Prompts and answers are not, and no log is changed.'

/** Whether a view shows imported calls. Renders nothing where there are none. */
export function HistorySwitch() {
  const on = useHistoryChoice()
  if (on === null) return null
  return (
    <span className="flex items-center gap-2 whitespace-nowrap text-ink-2 text-sm" title={HISTORY_NOTE}>
      <span aria-hidden className="size-2 rounded-[2px]" style={{ background: HISTORY_COLOR }} />
      <span aria-hidden>With history of agents</span>
      <Switch label="With history of agents" on={on} onChange={chooseHistory} />
    </span>
  )
}

/** The amount of imported calls next to that of requests. */
export function HistorySum({ usd }: { usd: number }) {
  return (
    <span className="text-ink-3 text-sm" title={HISTORY_NOTE}>
      + <Money usd={usd} /> <span className="underline decoration-dotted">at list prices, from logs</span>
    </span>
  )
}

interface ImportControlsProps {
  state: HistoryState
  /** The name of the button that starts an import. */
  label: string
  variant?: 'primary'
}

/** Starts an import, or shows its progress. */
export function ImportControls({ state: { running }, label, variant }: ImportControlsProps) {
  const { pending, error, submit } = useSubmit()
  return (
    <>
      {running ? (
        <>
          <span role="status" className="text-ink-2 text-sm tabular-nums">
            {`Reading ${running.name}: ${formatCount(running.files)} files, ${formatCount(running.calls)} calls`}
          </span>
          <Button pending={pending} onClick={() => void submit(cancelImport)}>
            Cancel
          </Button>
        </>
      ) : (
        <Button {...(variant && { variant })} pending={pending} onClick={() => void submit(importHistory)}>
          {label}
        </Button>
      )}
      <ErrorText error={error} />
    </>
  )
}

/** The notice that logs will be deleted that were not imported. */
export function ExpiringLogs({ expiring }: { expiring: NonNullable<HistoryState['expiring']> }) {
  const zone = useTimeZone()
  const now = useNow()
  const { files, firstAt } = expiring
  const logs = files === 1 ? '1 log that is' : `${formatCount(files)} logs that are`
  return (
    <p className="mt-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
      {`Claude Code will delete ${logs} not imported yet, the first ${Date.parse(firstAt) <= now ? 'at its next start' : `on ${formatDay(firstAt, now, zone)}`}.`}
    </p>
  )
}
