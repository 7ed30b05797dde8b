import { FileText, FolderOpen } from 'lucide-react'
import { Link } from 'wouter'
import type { GatewayInfo } from '../../../shared/api/account.ts'
import type { DesktopState } from '../../../shared/desktop/desktop.ts'
import { LOG_FILE } from '../../../shared/desktop/log-file.ts'
import { Button } from '../../kit/button.tsx'
import { CopyIconButton } from '../../kit/copy.tsx'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'
import { revealDataDir, revealLog } from '../../parts/diagnostics/reveal.ts'
import { Row, Section } from './section.tsx'

const credentialLocations: Record<GatewayInfo['credentials'], string> = {
  keychain: 'In the keychain of this computer, never in a file.',
  memory: 'In memory only. They are lost when the gateway stops.',
  env: 'In environment variables of the gateway process.',
}

interface AboutSectionProps {
  info: GatewayInfo | null
  desktop: DesktopState | null
}

export function AboutSection({ info, desktop }: AboutSectionProps) {
  const dataDir = info?.dataDir ?? desktop?.dataDir
  return (
    <Section title="About">
      {dataDir ? (
        <Row title="Data folder" text={<span className="break-all font-mono">{dataDir}</span>}>
          {desktop ? (
            <Button icon={FolderOpen} onClick={() => void revealDataDir()}>
              Reveal
            </Button>
          ) : (
            <CopyIconButton text={dataDir} label="Copy data folder" />
          )}
        </Row>
      ) : null}
      {dataDir ? (
        <Row title="Log" text={<span className="break-all font-mono">{LOG_FILE}</span>}>
          {desktop ? (
            <Button icon={FileText} onClick={() => void revealLog()}>
              Reveal log
            </Button>
          ) : (
            <CopyIconButton text={`${dataDir}/${LOG_FILE}`} label="Copy log path" />
          )}
        </Row>
      ) : null}
      {info ? (
        <Row title="Provider credentials" text={credentialLocations[info.credentials]}>
          {null}
        </Row>
      ) : null}
      <Row
        title="Version"
        text={
          info ? (
            <>
              Running since <RelativeTime iso={info.startedAt} />
            </>
          ) : (
            'The gateway did not respond.'
          )
        }
      >
        <span className="text-ink-2">{info?.version ?? desktop?.version ?? 'unknown'}</span>
      </Row>
      <Row
        title="Licenses"
        text="Tollgate is free software under the MIT License, and contains packages by others."
      >
        <Link href="/help/licenses" className="font-medium text-accent-ink hover:underline">
          Show all
        </Link>
      </Row>
    </Section>
  )
}
