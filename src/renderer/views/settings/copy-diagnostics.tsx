import { ClipboardList } from 'lucide-react'
import { toast } from 'sonner'
import { Button } from '../../components/button.tsx'
import { copyText } from '../../components/copy.tsx'
import { useAccount } from '../../stores/account.ts'
import { useGateway } from '../../stores/gateway.ts'
import { useKeys } from '../../stores/keys.ts'
import { useModels } from '../../stores/models.ts'
import { useProviders } from '../../stores/providers.ts'
import { useSettings } from '../../stores/settings.ts'
import { useUsage } from '../../stores/usage.ts'
import { formatDiagnostics } from './diagnostics.ts'

export function CopyDiagnostics() {
  const copy = async () => {
    const { info, desktop, link } = useGateway.getState()
    const text = formatDiagnostics({
      info,
      desktop,
      link,
      engine: navigator.userAgent,
      account: useAccount.getState().account,
      settings: useSettings.getState().settings,
      keys: useKeys.getState().keys,
      providers: useProviders.getState().providers,
      models: useModels.getState().models,
      usage: useUsage.getState().total,
      nowMs: Date.now(),
    })
    if (await copyText(text)) toast.success('Diagnostics copied.')
  }
  return (
    <Button icon={ClipboardList} onClick={() => void copy()}>
      Copy diagnostics
    </Button>
  )
}
