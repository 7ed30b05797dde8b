import { useQuery } from '@tanstack/react-query'
import { LoadError } from '../../components/notice.tsx'
import { Card, Page } from '../../components/page.tsx'
import { queries } from '../../server-state/queries.ts'
import { Caps } from './caps.tsx'
import { FirstSteps } from './first-steps.tsx'
import { SpendCards } from './spend-cards.tsx'
import { SpendOverTime } from './spend-over-time.tsx'
import { TopLists } from './top-lists.tsx'

export function Overview() {
  const { data: account = null, error, isLoadingError, refetch } = useQuery(queries.account)
  return (
    <Page title="Overview">
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
