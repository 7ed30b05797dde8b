// Owns saying that nothing is heard from the gateway, so that old numbers are not taken for new ones.
import { Unplug } from 'lucide-react'
import { useEffect, useState } from 'react'
import { isDesktop } from '../is-desktop.ts'
import { useGateway } from '../stores/gateway.ts'

/** A gateway that restarts is back by then. */
const PATIENCE_MS = 2000

export function LostBanner() {
  const lost = useGateway((store) => store.link === 'lost')
  const [long, setLong] = useState(false)
  useEffect(() => {
    if (!lost) return setLong(false)
    const timer = setTimeout(() => setLong(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [lost])
  if (!long) return null
  return (
    <div
      role="alert"
      className="flex min-h-11 shrink-0 items-center gap-3 border-line border-b bg-bad-soft px-4 py-1.5 text-bad"
    >
      <Unplug size={15} aria-hidden className="shrink-0" />
      <p className="min-w-0">
        <strong className="font-semibold">The gateway cannot be reached.</strong> What you see may be old.{' '}
        {isDesktop ? 'Quit Tollgate and start it again' : 'See whether tollgate serve still runs'}; this page
        goes on trying.
      </p>
    </div>
  )
}
