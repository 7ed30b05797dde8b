import { ClipboardList } from 'lucide-react'
import { toast } from 'sonner'
import { Button } from '../../components/button.tsx'
import { copyText } from '../../components/copy.tsx'
import { selectEnabled } from '../../server-state/hooks.ts'
import { queries } from '../../server-state/queries.ts'
import { type Query, queryClient } from '../../server-state/query-client.ts'
import { emptyUsage } from '../../server-state/usage.ts'
import { useConnection } from '../../stores/connection.ts'
import { formatDiagnostics } from './diagnostics.ts'

export function CopyDiagnostics() {
  const copy = async () => {
    const text = formatDiagnostics({
      info: cached(queries.gateway) ?? null,
      desktop: cached(queries.desktop) ?? null,
      link: useConnection.getState().state,
      engine: navigator.userAgent,
      account: cached(queries.account) ?? null,
      settings: cached(queries.settings) ?? null,
      keys: cached(queries.keys) ?? [],
      providers: cached(queries.providers) ?? [],
      models: selectEnabled(cached(queries.models) ?? []),
      usage: (cached(queries.usage) ?? emptyUsage).total,
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

function cached<T>({ queryKey }: Query<T>): T | undefined {
  return queryClient.getQueryData<T>(queryKey)
}
