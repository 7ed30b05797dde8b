import { toast } from 'sonner'
import { selectEnabled } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { type Query, queryClient } from '../../data/query-client.ts'
import { emptyUsage } from '../../data/usage.ts'
import { useConnection } from '../../kit/connection.ts'
import { copyText } from '../../kit/copy.tsx'
import { formatDiagnostics } from './format-diagnostics.ts'

/** Copies what the window knows now, also while the gateway cannot be reached. */
export async function copyDiagnostics(): Promise<void> {
  const { state, outage } = useConnection.getState()
  const text = formatDiagnostics({
    info: cached(queries.gateway) ?? null,
    desktop: cached(queries.desktop) ?? null,
    link: outage === null ? state : `${state}: ${outage.message}`,
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

function cached<T>({ queryKey }: Query<T>): T | undefined {
  return queryClient.getQueryData<T>(queryKey)
}
