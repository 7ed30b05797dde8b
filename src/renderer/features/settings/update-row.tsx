import { Download, ExternalLink, RefreshCw, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AvailableUpdate, UpdateState } from '../../../shared/desktop/updates.ts'
import { checkForUpdates, downloadUpdate, restartToUpdate } from '../../data/desktop-state.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { Button } from '../../kit/button.tsx'
import { CodeBlock } from '../../kit/copy.tsx'
import { openExternal } from '../../kit/external.ts'
import { formatBytes, formatDay } from '../../kit/format.ts'
import { lazyView } from '../../kit/lazy-view.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'
import { Row } from '../../parts/settings/section.tsx'

/** Loaded when there are notes to show. */
const notesText = lazyView<{ text: string }>(
  async () => (await import('../../parts/help/document.tsx')).Document,
)

/** The state of updates, what can be done now, and what a new version brings. */
export function UpdateRow({ state }: { state: UpdateState }) {
  const { error, submit } = useSubmit()
  return (
    <Row
      text={<Status state={state} />}
      error={error}
      below={
        <>
          {state.phase === 'downloading' && state.update?.bytes ? (
            <Progress doneBytes={state.downloadedBytes} bytes={state.update.bytes} />
          ) : null}
          {state.problem === null ? null : (
            <div className="mt-3">
              <InlineError error={state.problem} />
            </div>
          )}
          {state.update === null ? null : <Notes update={state.update} reason={state.reason} />}
        </>
      }
    >
      <Actions state={state} submit={submit} />
    </Row>
  )
}

function Status({ state }: { state: UpdateState }): ReactNode {
  const { installedVersion, update, phase, method, reason, checkedAt, downloadedBytes } = state
  const installed = `You have ${installedVersion}.`
  if (method === 'none') return `${installed} ${reason}`
  const version = update?.version
  switch (phase) {
    case 'checking':
      return `${installed} Looking for a newer version…`
    case 'available':
      return `${installed} Version ${version} is available.`
    case 'downloading':
      return `Downloading version ${version}: ${formatBytes(downloadedBytes)}${update?.bytes ? ` of ${formatBytes(update.bytes)}` : ''}.`
    case 'ready':
      return `Version ${version} is downloaded and verified. It is installed when you quit, or now if you restart.`
    case 'restarting':
      return 'Tollgate will restart when running requests finish, within two minutes. Restart now ends them; what they have used is charged.'
    case 'idle':
      if (checkedAt === null)
        return `${installed} Tollgate has not looked for a newer version since it started.`
      return (
        <>
          {installed} No newer version. Checked <RelativeTime iso={checkedAt} />.
        </>
      )
  }
}

function Progress({ doneBytes, bytes }: { doneBytes: number; bytes: number }) {
  const percent = Math.min(100, Math.floor((doneBytes / bytes) * 100))
  return (
    <div
      role="progressbar"
      aria-label="Download"
      aria-valuenow={percent}
      className="mt-3 h-1 overflow-hidden rounded-full bg-line"
    >
      <div className="h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
    </div>
  )
}

function Actions({
  state: { phase, method, update },
  submit,
}: {
  state: UpdateState
  submit: (work: () => Promise<void>) => Promise<void>
}) {
  if (method === 'none') return null
  if (phase === 'ready' || phase === 'restarting') {
    return (
      <Button variant="primary" icon={RotateCw} onClick={() => void submit(restartToUpdate)}>
        {phase === 'ready' ? 'Restart to update' : 'Restart now'}
      </Button>
    )
  }
  if (phase === 'available' && update && method === 'person') {
    return (
      <Button variant="primary" icon={ExternalLink} onClick={() => void openExternal(update.pageUrl)}>
        Open download page
      </Button>
    )
  }
  if (update && (phase === 'available' || phase === 'downloading')) {
    return (
      <Button
        variant="primary"
        icon={Download}
        pending={phase === 'downloading'}
        onClick={() => void submit(downloadUpdate)}
      >
        {`Download${update.bytes ? ` (${formatBytes(update.bytes)})` : ''}`}
      </Button>
    )
  }
  return (
    <Button icon={RefreshCw} pending={phase === 'checking'} onClick={() => void submit(checkForUpdates)}>
      Check now
    </Button>
  )
}

function Notes({ update, reason }: { update: AvailableUpdate; reason: string | null }) {
  const timeZone = useTimeZone()
  return (
    <div className="mt-3 flex flex-col gap-3">
      {reason === null ? null : (
        <p className="text-ink-2">
          {reason} {update.command === null ? null : 'Download the package, and run this in its folder:'}
        </p>
      )}
      {update.command === null ? null : (
        <CodeBlock title="Terminal" copyLabel="Copy command" code={update.command} />
      )}
      <section
        aria-label={`What is new in ${update.version}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
        tabIndex={0}
        className="max-h-80 overflow-y-auto rounded-lg border border-line bg-canvas px-4 py-3"
      >
        <h4 className="mb-2 font-semibold">
          {`What is new in ${update.version}`}
          <span className="ml-2 font-normal text-ink-3 text-sm">
            {formatDay(update.releasedAt, Date.now(), timeZone)}
          </span>
        </h4>
        {update.notes === '' ? (
          <p className="text-ink-3">This version has no notes.</p>
        ) : (
          <notesText.View text={update.notes} />
        )}
      </section>
    </div>
  )
}
