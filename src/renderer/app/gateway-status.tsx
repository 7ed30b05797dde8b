import { useQuery } from '@tanstack/react-query'
import { t } from 'ttag'
import { useBaseUrl } from '../data/hooks.ts'
import { queries } from '../data/queries.ts'
import { StatusDot, type Tone } from '../kit/badge.tsx'
import { useConnection } from '../kit/connection.ts'
import { laterView } from '../kit/lazy-view.tsx'

const copyButton = laterView(
  async () => (await import('../kit/copy.tsx')).CopyIconButton,
  () => null,
)

interface GatewayState {
  tone: Tone
  label: string
}

function useGatewayState(): GatewayState {
  const { state: connection, outage } = useConnection()
  const { data: desktop } = useQuery(queries.desktop)
  const { data: account } = useQuery(queries.account)
  if (outage !== null && outage.status !== 0) return { tone: 'bad', label: t`Not working` }
  if (connection === 'lost') return { tone: 'bad', label: t`Unreachable` }
  if (desktop?.listenError) return { tone: 'warn', label: t`Not listening` }
  if (account?.pausedAt) return { tone: 'warn', label: t`Paused` }
  if (connection === 'connecting') return { tone: 'plain', label: t`Connecting` }
  return { tone: 'good', label: t`Running` }
}

export function GatewayStatus() {
  const { tone, label } = useGatewayState()
  const baseUrl = useBaseUrl()
  return (
    <div
      role="status"
      aria-label={t`Gateway`}
      className="mt-1 border-line border-t px-2.5 pt-2 pb-1 rail:px-0"
    >
      <div className="font-medium text-sm rail:flex rail:justify-center" title={label}>
        <StatusDot tone={tone}>
          <span className="rail:sr-only">{label}</span>
        </StatusDot>
      </div>
      {baseUrl === null ? null : (
        <div className="-mr-1.5 flex h-6 items-center gap-1 text-ink-3 rail:hidden">
          <span className="min-w-0 flex-1 truncate font-mono text-xs" title={baseUrl}>
            {new URL(baseUrl).host}
          </span>
          <copyButton.View text={baseUrl} label={t`Copy base URL`} />
        </div>
      )}
    </div>
  )
}
