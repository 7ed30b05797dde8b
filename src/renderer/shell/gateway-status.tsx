import { StatusDot, type Tone } from '../components/badge.tsx'
import { CopyIconButton } from '../components/copy.tsx'
import { useBaseUrl, useGateway } from '../stores/gateway.ts'

export interface GatewayState {
  tone: Tone
  label: string
}

export function useGatewayState(): GatewayState {
  const link = useGateway((store) => store.link)
  const listening = useGateway((store) => store.desktop?.listenError ?? null) === null
  if (link === 'lost') return { tone: 'bad', label: 'Unreachable' }
  if (!listening) return { tone: 'warn', label: 'Not listening' }
  if (link === 'connecting') return { tone: 'plain', label: 'Connecting' }
  return { tone: 'good', label: 'Running' }
}

export function GatewayStatus() {
  const { tone, label } = useGatewayState()
  const baseUrl = useBaseUrl()
  return (
    <div role="status" aria-label="Gateway" className="min-w-0 flex-1 rounded-md px-2 py-1 max-md:hidden">
      <div className="font-medium text-sm">
        <StatusDot tone={tone}>{label}</StatusDot>
      </div>
      <div className="flex h-6 items-center gap-1 text-ink-3">
        <span className="min-w-0 flex-1 truncate font-mono text-xs" title={baseUrl ?? undefined}>
          {baseUrl === null ? 'no address' : new URL(baseUrl).host}
        </span>
        {baseUrl ? <CopyIconButton text={baseUrl} label="Copy base URL" /> : null}
      </div>
    </div>
  )
}
