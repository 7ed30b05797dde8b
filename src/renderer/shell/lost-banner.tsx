import { Unplug } from 'lucide-react'
import { useEffect, useState } from 'react'
import { isDesktop } from '../is-desktop.ts'
import { useConnection } from '../stores/connection.ts'

/** A restarting gateway is back within this time. */
const DELAY_MS = 2000

/** Warns that the data on the screen is no longer updated. */
export function LostBanner() {
  const lost = useConnection(({ state }) => state === 'lost')
  const [shown, setShown] = useState(false)
  useEffect(() => {
    if (!lost) return setShown(false)
    const timer = setTimeout(() => setShown(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [lost])
  if (!shown) return null
  return (
    <div
      role="alert"
      className="flex min-h-11 shrink-0 items-center gap-3 border-line border-b bg-bad-soft px-4 py-1.5 text-bad"
    >
      <Unplug size={15} aria-hidden className="shrink-0" />
      <p className="min-w-0">
        <strong className="font-semibold">The gateway cannot be reached.</strong> What you see may be out of
        date.{' '}
        {isDesktop
          ? 'If this lasts, quit Tollgate and start it again.'
          : 'Check that tollgate serve is still running.'}{' '}
        Reconnecting…
      </p>
    </div>
  )
}
