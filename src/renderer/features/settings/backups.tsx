import { useQuery } from '@tanstack/react-query'
import { FolderOpen, History, TriangleAlert, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { toast } from 'sonner'
import { Backup, type GatewayInfo } from '../../../shared/api/account.ts'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { fillPath } from '../../../shared/api/operation-calls.ts'
import { routes } from '../../../shared/api/routes.ts'
import { api, authorizedFetch } from '../../data/api.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { cancelRestore, createBackup, restoreBackup } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { refresh, volatileQuery } from '../../data/query-client.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/dialog.tsx'
import { download } from '../../kit/download.ts'
import {
  formatAgo,
  formatBytes,
  formatMoment,
  formatQuantity,
  formatUsd,
  quoteName,
} from '../../kit/format.ts'
import { InlineError, SkeletonRows } from '../../kit/notice.tsx'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { Row } from '../../parts/settings/section.tsx'

export function Backups({ credentials }: { credentials: GatewayInfo['credentials'] | null }) {
  const { data: backups, error, isPending, isLoadingError } = useQuery(queries.backups)
  const { pending, error: backupError, submit } = useSubmit()
  const exporting = useSubmit()
  const importing = useSubmit()
  const [restoring, setRestoring] = useState<Backup | null>(null)
  const { desktop } = window
  const backUp = () =>
    submit(async () => {
      const { bytes } = await createBackup()
      toast.success(`Backup created (${formatBytes(bytes)}).`)
    })
  const shownError = backupError ?? exporting.error ?? importing.error ?? (isLoadingError ? error : null)
  return (
    <>
      <Row
        text={`Copies of keys, spend, requests and settings in the data folder. They do not contain provider credentials${credentials === 'keychain' ? ', which stay in the keychain' : ''}.`}
      >
        {desktop ? (
          <Button variant="quiet" icon={FolderOpen} onClick={() => void desktop.revealDataDir()}>
            Reveal data folder
          </Button>
        ) : null}
        <ChooseBackupFile
          pending={importing.pending}
          onChoose={(file) => void importing.submit(() => addBackupFile(file), setRestoring)}
        />
        <Button pending={pending} onClick={() => void backUp()}>
          Back up now
        </Button>
      </Row>
      {shownError ? (
        <div className="p-3">
          <InlineError error={shownError} />
        </div>
      ) : null}
      {backups && backups.restoreAtStart !== null ? (
        <PendingRestore
          id={backups.restoreAtStart}
          backup={backups.data.find(({ id }) => id === backups.restoreAtStart) ?? null}
        />
      ) : null}
      {isPending ? <SkeletonRows rows={2} /> : null}
      {backups ? (
        <BackupList
          backups={backups.data}
          restoreAtStart={backups.restoreAtStart}
          onExport={(backup) => void exporting.submit(() => exportBackup(backup))}
          onRestore={setRestoring}
        />
      ) : null}
      {restoring ? <RestoreBackup backup={restoring} onClose={() => setRestoring(null)} /> : null}
    </>
  )
}

const { getBackupFile, importBackup } = routes

async function exportBackup({ id }: Backup): Promise<void> {
  const response = await authorizedFetch(fillPath(getBackupFile.path, id), {})
  download(await response.blob(), id)
}

/** Resolves with the backup that the file has become. */
async function addBackupFile(file: File): Promise<Backup> {
  const response = await authorizedFetch(importBackup.path, {
    method: importBackup.method,
    headers: { 'content-type': 'application/vnd.sqlite3' },
    body: file,
  })
  const backup = Backup.parse(await response.json())
  await refresh(queries.backups)
  return backup
}

interface ChooseBackupFileProps {
  pending: boolean
  onChoose: (file: File) => void
}

function ChooseBackupFile({ pending, onChoose }: ChooseBackupFileProps) {
  const input = useRef<HTMLInputElement>(null)
  const choose = ({ files }: HTMLInputElement) => {
    const file = files?.[0]
    if (file) onChoose(file)
    // Reset, so that selecting the same file fires a change event.
    if (input.current) input.current.value = ''
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".db"
        aria-label="Backup file"
        hidden
        onChange={({ target }) => choose(target)}
      />
      <Button variant="quiet" icon={Upload} pending={pending} onClick={() => input.current?.click()}>
        Import…
      </Button>
    </>
  )
}

function spentSince(from: string) {
  return volatileQuery(['usage-in', 'since', from], async (): Promise<SpentSince> => {
    const { total } = await api('getUsage', { query: { from, groupBy: 'key' } })
    return total
  })
}

function RestoreBackup({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const { data: keys = [] } = useQuery(queries.keys)
  const timeZone = useTimeZone()
  // The dialog works without the amount.
  const { data: spent = null } = useQuery(spentSince(backup.madeAt))
  const [keepKeys, setKeepKeys] = useState(false)
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Restore the ${backup.imported ? 'imported backup' : 'backup'} of ${formatMoment(backup.madeAt, timeZone)}?`}
      description={
        <>
          <p className="text-ink">
            It replaces the current data when Tollgate restarts. Nothing changes until then.
          </p>
          {backup.keys ? (
            <p className="mt-3 flex gap-2 rounded-lg bg-warn-soft px-3 py-2 text-warn">
              <TriangleAlert size={14} aria-hidden className="mt-[3px] shrink-0" />
              Restore only a file that you made: its author knows its keys, and chose the addresses in it.
            </p>
          ) : null}
          <ul className="mt-3 flex list-disc flex-col gap-1 text-pretty pl-4">
            {(backup.keys
              ? describeImport(backup.keys, keepKeys)
              : describeRestore(backup.madeAt, spent, keys)
            ).map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
          {backup.keys && backup.keys.length > 0 ? (
            <label className="mt-3 flex items-start gap-2 text-ink">
              <input
                type="checkbox"
                checked={keepKeys}
                onChange={({ target }) => setKeepKeys(target.checked)}
                className="mt-[3px] size-3.5 shrink-0 accent-accent"
              />
              <span className="min-w-0 break-words">
                Keep the keys in the file
                <span className="block text-ink-2 text-sm">{quoteNames(backup.keys)}</span>
              </span>
            </label>
          ) : null}
        </>
      }
      action="Restore at next start"
      onConfirm={() => restoreBackup(backup.id, { keepKeys })}
    />
  )
}

/** `backup` is null if it is no longer in the list. */
function PendingRestore({ id, backup }: { id: string; backup: Backup | null }) {
  const timeZone = useTimeZone()
  const cancel = useSubmit()
  const restart = useSubmit()
  const { desktop } = window
  const busy = cancel.pending || restart.pending
  const command = <code className="font-mono text-sm">tollgate serve</code>
  return (
    <div role="status" className="flex flex-col gap-2 bg-warn-soft px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="flex min-w-60 flex-1 gap-2 text-ink">
          <History size={14} aria-hidden className="mt-[3px] shrink-0 text-warn" />
          <span>
            {`The backup of ${backup ? formatMoment(backup.madeAt, timeZone) : id} replaces the current data when Tollgate restarts.`}{' '}
            {desktop ? null : <>Restart {command} to finish.</>}
          </span>
        </p>
        <div className="flex gap-2">
          <Button
            small
            pending={cancel.pending}
            disabled={busy}
            onClick={() => void cancel.submit(() => cancelRestore(id))}
          >
            Cancel restore
          </Button>
          {desktop ? (
            <Button
              small
              pending={restart.pending}
              disabled={busy}
              onClick={() => void restart.submit(() => desktop.relaunch())}
            >
              Restart now
            </Button>
          ) : null}
        </div>
      </div>
      <InlineError
        error={restart.error ? 'The app did not restart. Quit it and open it again.' : cancel.error}
      />
    </div>
  )
}

const COLLAPSED_COUNT = 5

interface BackupListProps {
  backups: readonly Backup[]
  restoreAtStart: string | null
  onExport: (backup: Backup) => void
  onRestore: (backup: Backup) => void
}

function BackupList({ backups, restoreAtStart, onExport, onRestore }: BackupListProps) {
  const timeZone = useTimeZone()
  const now = useNow()
  const [all, setAll] = useState(false)
  if (backups.length === 0) {
    return <p className="px-4 py-3 text-ink-3">No backups yet.</p>
  }
  return (
    <div>
      <ul aria-label="Backups" className="divide-y divide-line">
        {backups.slice(0, all ? undefined : COLLAPSED_COUNT).map((backup) => {
          const when = formatMoment(backup.madeAt, timeZone)
          return (
            <li
              key={backup.id}
              className="flex min-h-10 flex-wrap items-center gap-x-3 py-1 pr-3 pl-4"
              title={backup.id}
            >
              <time dateTime={backup.madeAt} className="shrink-0">
                {when}
              </time>
              <span className="min-w-0 flex-1 truncate text-ink-3">
                {formatAgo(backup.madeAt, now, timeZone)}
              </span>
              {backup.imported ? <Badge>Imported</Badge> : null}
              <span className="shrink-0 text-ink-2">{formatBytes(backup.bytes)}</span>
              <Button
                small
                variant="quiet"
                aria-label={`Export the backup of ${when}`}
                onClick={() => onExport(backup)}
              >
                Export
              </Button>
              <span className="-ml-2 flex w-22 shrink-0 justify-end">
                {backup.id === restoreAtStart ? (
                  <span className="mr-1">
                    <Badge tone="warn">At next start</Badge>
                  </span>
                ) : (
                  <Button
                    small
                    variant="quiet"
                    aria-label={`Restore the backup of ${when}`}
                    onClick={() => onRestore(backup)}
                  >
                    Restore…
                  </Button>
                )}
              </span>
            </li>
          )
        })}
      </ul>
      {backups.length > COLLAPSED_COUNT ? (
        <div className="border-t px-2 py-1.5">
          <Button small variant="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${backups.length}`}
          </Button>
        </div>
      ) : null}
    </div>
  )
}

const MAX_NAMES = 3

interface SpentSince {
  requests: number
  costUsd: number
}

const KEPT = 'The current data is saved in the data folder.'

/** The effects of restoring an imported backup: it may be of someone else. */
function describeImport(keys: readonly Named[], keepKeys: boolean): string[] {
  const stopped =
    keys.length > 0 ? 'All keys stop working, also those in the file.' : 'All keys stop working.'
  return [
    'All keys, spend, requests, settings and providers are replaced by those in the file.',
    keepKeys ? 'Keys that are not in the file stop working.' : stopped,
    'Providers that are not at their vendor’s address are disabled until you enable them. Alerts to an address and telemetry are off.',
    'Provider credentials are not in the file. Enter them again.',
    KEPT,
  ]
}

interface Named {
  name: string
}

/** The effects of restoring a backup, one sentence each, the most important first. `spent` is null while it is unknown. */
export function describeRestore(
  madeAt: string,
  spent: SpentSince | null,
  keys: readonly KeyMetadata[],
): string[] {
  const created = keys.filter((key) => key.createdAt > madeAt && key.revokedAt === null)
  const revoked = keys.filter(
    (key) => key.createdAt <= madeAt && key.revokedAt !== null && key.revokedAt > madeAt,
  )
  return [
    describeSpend(spent),
    created.length > 0
      ? `${listNames(created)}, created since, ${created.length === 1 ? 'stops' : 'stop'} working.`
      : 'No keys were created since.',
    ...(revoked.length > 0
      ? [`${listNames(revoked)}, revoked since, ${revoked.length === 1 ? 'works' : 'work'} again.`]
      : []),
    'Caps, limits, settings and providers go back to what they were then.',
    'Provider credentials stay as they are now: a backup has none.',
    KEPT,
  ]
}

function describeSpend(spent: SpentSince | null): string {
  if (spent === null) return 'Spend since then is no longer counted, so caps allow it to be spent again.'
  if (spent.requests === 0) return 'No spend since this backup.'
  const requests = formatQuantity(spent.requests, 'request')
  return `${formatUsd(spent.costUsd)} spent since then by ${requests} is no longer counted, so caps allow it to be spent again.`
}

function listNames(keys: readonly Named[]): string {
  return `${keys.length === 1 ? 'The key' : 'The keys'} ${quoteNames(keys)}`
}

function quoteNames(keys: readonly Named[]): string {
  const named = keys.slice(0, MAX_NAMES).map(({ name }) => quoteName(name))
  const others = keys.length - named.length
  return `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}
