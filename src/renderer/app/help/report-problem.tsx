import { useQuery } from '@tanstack/react-query'
import { ClipboardList, FileText, FolderOpen } from 'lucide-react'
import { LOG_FILE } from '../../../shared/desktop/log-file.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { isDesktop } from '../../kit/is-desktop.ts'
import { copyDiagnostics } from '../../parts/diagnostics/copy-diagnostics.ts'
import { revealDataDir, revealLog } from '../../parts/diagnostics/reveal.ts'

export function ReportProblem() {
  const { data: info } = useQuery(queries.gateway)
  const { data: desktop } = useQuery(queries.desktop)
  const version = info?.version ?? desktop?.version ?? 'unknown'
  const dataDir = info?.dataDir ?? desktop?.dataDir
  return (
    <div className="flex flex-col gap-4">
      <p>A report should say what you did, what you expected, and what happened instead. Add:</p>
      <ul className="ml-5 flex list-disc flex-col gap-1">
        <li>the diagnostics: version, states and counts, without keys, credentials, names or prompts</li>
        <li>the id of a request that failed, from its details in Requests (it begins with req_)</li>
        <li>
          the lines of the log from that time; read them first, as they can contain names of models and
          servers
        </li>
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button icon={ClipboardList} onClick={() => void copyDiagnostics()}>
          Copy diagnostics
        </Button>
        {isDesktop ? (
          <>
            <Button icon={FileText} onClick={() => void revealLog()}>
              Reveal log
            </Button>
            <Button icon={FolderOpen} onClick={() => void revealDataDir()}>
              Open data folder
            </Button>
          </>
        ) : null}
      </div>
      {dataDir ? (
        <p className="text-ink-3 text-sm">
          The log is <code className="break-all font-mono">{`${dataDir}/${LOG_FILE}`}</code>
        </p>
      ) : null}
      <p className="text-ink-3 text-sm">Tollgate {version}</p>
    </div>
  )
}
