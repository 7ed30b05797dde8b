// The head of Overview, which is loaded after the first numbers.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LAST_30_DAYS, useDateRange } from '../../data/date-range.ts'
import { queries } from '../../data/queries.ts'
import { lazyView } from '../../kit/lazy-view.tsx'
import { DateRangePicker } from '../../parts/period/date-range-picker.tsx'

/** The range of the address. */
export function OverviewRangePicker() {
  const [range, setRange] = useDateRange(LAST_30_DAYS)
  return <DateRangePicker range={range} onChange={setRange} />
}

/** Whether an offer was dismissed, also before the last start. */
function useDismissed(slot: string): [boolean, () => void] {
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(slot) !== null)
  const dismiss = () => {
    localStorage.setItem(slot, '1')
    setDismissed(true)
  }
  return [isDismissed, dismiss]
}

// Only new users see it, and it contains the instructions for all tools.
const firstStepsCard = lazyView(async () => (await import('./first-steps-card.tsx')).FirstStepsCard)

const historyCard = lazyView(
  async () => (await import('../../../features/history/view/history-card.tsx')).HistoryCard,
)

/** Offers to import the logs of agents, until that is done or dismissed; logs that will be deleted are announced in any case. */
export function HistoryOffer() {
  const { data: state } = useQuery(queries.history)
  const [isDismissed, dismiss] = useDismissed('tollgate.historyOfferDismissed')
  const [isAsked, setAsked] = useState(false)
  if (!state) return null
  const isNew = state.imported.length === 0 && state.last === null && state.found.length > 0
  if (isNew && !isAsked) setAsked(true)
  const expires = state.expiring !== null && !isAsked
  if (isDismissed || !(isAsked || expires)) return null
  return <historyCard.View state={state} onDismiss={dismiss} />
}

/** Guides a new user. Hidden once all steps are done, or when it is dismissed. */
export function FirstSteps() {
  const { data: keys } = useQuery(queries.keys)
  const { data: usage } = useQuery(queries.usage)
  const [isDismissed, dismiss] = useDismissed('tollgate.firstStepsDismissed')
  const [stepTaken, setStepTaken] = useState(false)
  if (!keys || !usage || isDismissed) return null

  const keysForTools = keys.filter(
    (key) => key.revokedAt === null && key.scope !== 'admin' && key.name !== 'Playground',
  )
  const tried = usage.total.requests > 0
  const connected = keysForTools.some((key) => key.lastUsedAt !== null)
  // Steps completed just now stay visible until the user leaves.
  if (tried && connected && !stepTaken) return null
  return (
    <firstStepsCard.View
      tried={tried}
      keysForTools={keysForTools}
      connected={connected}
      onStepTaken={() => setStepTaken(true)}
      onDismiss={dismiss}
    />
  )
}
