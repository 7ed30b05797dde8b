import { useQuery } from '@tanstack/react-query'
import { queries } from '../../data/queries.ts'
import { laterView, lazyView } from '../../kit/lazy-view.tsx'
import { LoadError, Skeleton } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { SpendCards } from './spend-cards.tsx'

const range = laterView(
  async () => (await import('./overview-head.tsx')).OverviewRangePicker,
  () => <Skeleton className="h-8 w-48" />,
)
const firstSteps = laterView(async () => (await import('./overview-head.tsx')).FirstSteps)
const historyOffer = laterView(async () => (await import('./overview-head.tsx')).HistoryOffer)
export const overviewDetails = lazyView(
  async () => (await import('./overview-details.tsx')).OverviewDetails,
  () => <Skeleton className="h-80" />,
)

/** The cards have the first numbers that the window shows. The amounts below them are loaded at the same time, the controls after. */
export function Overview() {
  const { data: account = null, error, isLoadingError, refetch } = useQuery(queries.account)
  return (
    <Page title="Overview" actions={<range.View />}>
      {isLoadingError ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="flex flex-col gap-4">
          <historyOffer.View />
          <firstSteps.View />
          <SpendCards account={account} />
          <overviewDetails.View account={account} />
        </div>
      )}
    </Page>
  )
}
