import { isDesktop } from '../kit/is-desktop.ts'
import { LimitBanner } from '../parts/limits/limit-banner.tsx'
import { PauseBanner } from '../parts/pausing/pause-banner.tsx'
import { CrashBanner } from './crash-banner.tsx'
import { OutageBanner } from './outage-banner.tsx'
import { PortBanner } from './port-banner.tsx'

/** Over every view: what keeps the gateway from working, the most severe first. */
export function Banners() {
  return (
    <>
      <OutageBanner />
      <PortBanner />
      {isDesktop ? <CrashBanner /> : null}
      <PauseBanner />
      <LimitBanner />
    </>
  )
}
