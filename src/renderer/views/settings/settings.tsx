// Owns the view of everything that can be set. What a setting means for requests is the gateway's to know.
import type { ReactNode } from 'react'
import { isDesktop } from '../../admin-key.ts'
import { Failed, SkeletonRows } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { useAccount } from '../../stores/account.ts'
import { useGateway } from '../../stores/gateway.ts'
import { useSettings } from '../../stores/settings.ts'
import { AboutSection } from './about-section.tsx'
import { AccountSection } from './account-section.tsx'
import { AppearanceSection } from './appearance-section.tsx'
import { GatewaySection } from './gateway-section.tsx'
import { RecordsSection } from './records-section.tsx'

export function SettingsView() {
  const { settings, error, state, refresh } = useSettings()
  const { account, plans } = useAccount()
  const { desktop, info } = useGateway()
  return (
    <Page title="Settings">
      <div className="mx-auto flex max-w-3xl flex-col gap-8">
        {state === 'failed' && settings === null ? (
          <Failed error={error} onRetry={() => void refresh()} />
        ) : null}
        {state === 'first' ? <SkeletonRows /> : null}
        {isDesktop && desktop ? <GatewaySection key={desktop.port} desktop={desktop} /> : null}
        {account ? <AccountSection account={account} plans={plans} /> : null}
        {settings ? <RecordsSection settings={settings} /> : null}
        <AppearanceSection />
        <AboutSection info={info} desktop={desktop} />
      </div>
    </Page>
  )
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h2 className="mb-2 font-semibold">{title}</h2>
      <div className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
        {children}
      </div>
    </section>
  )
}

interface RowProps {
  title: string
  /** What it means. */
  text: ReactNode
  children: ReactNode
}

export function Row({ title, text, children }: RowProps) {
  return (
    <div className="flex items-start justify-between gap-6 px-4 py-3">
      <div className="min-w-0 flex-1">
        <h3 className="font-medium">{title}</h3>
        <div className="text-ink-3 text-sm">{text}</div>
      </div>
      <div className="flex shrink-0 items-center gap-2">{children}</div>
    </div>
  )
}
