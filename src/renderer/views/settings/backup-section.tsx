import { FolderOpen } from 'lucide-react'
import { useEffect, useState } from 'react'
import { toast } from 'sonner'
import type { Backup, GatewayInfo } from '../../../shared/account.ts'
import { Button } from '../../components/button.tsx'
import { InlineError, SkeletonRows } from '../../components/notice.tsx'
import { formatBytes } from '../../format.ts'
import { useBackups } from '../../stores/backups.ts'
import { useSubmit } from '../../use-submit.ts'
import { BackupList } from './backup-list.tsx'
import { PendingRestore } from './pending-restore.tsx'
import { RestoreBackup } from './restore-backup.tsx'
import { Row, Section } from './section.tsx'

interface BackupSectionProps {
  credentials: GatewayInfo['credentials'] | null
}

export function BackupSection({ credentials }: BackupSectionProps) {
  const { state, error, backups, restoreAtStart, refresh, createBackup } = useBackups()
  const { pending, error: backupError, submit } = useSubmit()
  const [restoring, setRestoring] = useState<Backup | null>(null)
  const { desktop } = window
  useEffect(() => void refresh(), [refresh])
  const backUp = () =>
    submit(async () => {
      const { bytes } = await createBackup()
      toast.success(`Backup created (${formatBytes(bytes)}).`)
    })
  const shownError = backupError ?? (state === 'failed' ? error : null)
  return (
    <Section title="Backup and restore">
      <Row
        title="Backups"
        text={`Copies of keys, spend, requests and settings in the data folder. They do not contain provider credentials${credentials === 'keychain' ? ', which stay in the keychain' : ''}.`}
      >
        {desktop ? (
          <Button variant="quiet" icon={FolderOpen} onClick={() => void desktop.revealDataDir()}>
            Reveal data folder
          </Button>
        ) : null}
        <Button pending={pending} onClick={() => void backUp()}>
          Back up now
        </Button>
      </Row>
      {shownError ? (
        <div className="p-3">
          <InlineError error={shownError} />
        </div>
      ) : null}
      {restoreAtStart === null ? null : (
        <PendingRestore
          id={restoreAtStart}
          backup={backups.find(({ id }) => id === restoreAtStart) ?? null}
        />
      )}
      {state === 'first' ? <SkeletonRows rows={2} /> : null}
      {state === 'ready' ? (
        <BackupList backups={backups} restoreAtStart={restoreAtStart} onRestore={setRestoring} />
      ) : null}
      {restoring ? <RestoreBackup backup={restoring} onClose={() => setRestoring(null)} /> : null}
    </Section>
  )
}
