import { useQuery } from '@tanstack/react-query'
import { FolderOpen } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import type { Backup, GatewayInfo } from '../../../shared/api/account.ts'
import { createBackup } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { formatBytes } from '../../kit/format.ts'
import { InlineError, SkeletonRows } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { addBackupFile, exportBackup } from './backup-files.ts'
import { BackupList } from './backup-list.tsx'
import { ChooseBackupFile } from './choose-backup-file.tsx'
import { PendingRestore } from './pending-restore.tsx'
import { RestoreBackup } from './restore-backup.tsx'
import { Row, Section } from './section.tsx'

interface BackupSectionProps {
  credentials: GatewayInfo['credentials'] | null
}

export function BackupSection({ credentials }: BackupSectionProps) {
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
    </Section>
  )
}
