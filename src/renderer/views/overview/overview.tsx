import { useQuery } from '@tanstack/react-query'
import { StatusDot } from '../../components/badge.tsx'
import { CopyIconButton } from '../../components/copy.tsx'
import { LoadError } from '../../components/notice.tsx'
import { Card, Page } from '../../components/page.tsx'
import { useBaseUrl } from '../../server-state/hooks.ts'
import { queries } from '../../server-state/queries.ts'
import { useGatewayState } from '../../shell/gateway-status.tsx'
import { Caps } from './caps.tsx'
import { FirstSteps } from './first-steps.tsx'
import { SpendCards } from './spend-cards.tsx'
import { SpendOverTime } from './spend-over-time.tsx'
import { TopLists } from './top-lists.tsx'

export function Overview() {
  const { data: account = null, error, isLoadingError, refetch } = useQuery(queries.account)
  return (
    <Page title="Overview" actions={<Address />}>
      {isLoadingError ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="flex flex-col gap-4">
          <FirstSteps />
          <SpendCards account={account} />
          <div className="grid grid-cols-2 gap-4 xl:grid-cols-3">
            <Card className="col-span-2 flex flex-col">
              <SpendOverTime />
            </Card>
            <Card>
              <Caps />
            </Card>
            <TopLists />
          </div>
        </div>
      )}
    </Page>
  )
}

function Address() {
  const { tone, label } = useGatewayState()
  const baseUrl = useBaseUrl()
  return (
    <div className="flex h-8 items-center gap-2 rounded-md border border-line bg-surface pr-0.5 pl-3 shadow-card">
      <StatusDot tone={tone}>{label}</StatusDot>
      {baseUrl ? (
        <>
          <span className="font-mono text-ink-2 text-sm">{baseUrl}</span>
          <CopyIconButton text={baseUrl} label="Copy base URL" />
        </>
      ) : (
        <span className="w-1" />
      )}
    </div>
  )
}
