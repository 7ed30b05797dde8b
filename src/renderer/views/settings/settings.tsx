import { RotateCw } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { InlineError, SkeletonRows } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { isDesktop } from '../../is-desktop.ts'
import { useAccount } from '../../stores/account.ts'
import { useGateway } from '../../stores/gateway.ts'
import { useSettings } from '../../stores/settings.ts'
import { AboutSection } from './about-section.tsx'
import { AccountSection } from './account-section.tsx'
import { AppearanceSection } from './appearance-section.tsx'
import { BackupSection } from './backup-section.tsx'
import { GatewaySection, HeadlessSection } from './gateway-section.tsx'
import { NotificationsSection } from './notifications-section.tsx'
import { OriginsSection } from './origins.tsx'
import { RecordsSection } from './records-section.tsx'
import { type SectionTitle, sectionId } from './section.tsx'

interface SectionEntry {
  title: SectionTitle
  /** Null while its data is loading. */
  body: ReactNode
}

export function SettingsView() {
  const { settings, error, state, refresh } = useSettings()
  const { account, plans } = useAccount()
  const { desktop, info } = useGateway()
  const headless = info ? <HeadlessSection info={info} /> : null
  const sections: SectionEntry[] = [
    {
      title: 'Gateway',
      body: isDesktop ? desktop ? <GatewaySection key={desktop.port} desktop={desktop} /> : null : headless,
    },
    { title: 'Account', body: account ? <AccountSection account={account} plans={plans} /> : null },
    { title: 'Notifications', body: settings ? <NotificationsSection settings={settings} /> : null },
    { title: 'Records', body: settings ? <RecordsSection settings={settings} /> : null },
    { title: 'Web pages', body: settings ? <OriginsSection settings={settings} /> : null },
    { title: 'Appearance', body: <AppearanceSection /> },
    { title: 'Backup and restore', body: <BackupSection credentials={info?.credentials ?? null} /> },
    { title: 'About', body: <AboutSection info={info} desktop={desktop} /> },
  ]
  const visible = sections.filter(({ body }) => body !== null)
  return (
    <Page title="Settings">
      <div className="mx-auto flex max-w-5xl items-start justify-center gap-10">
        <SectionNav titles={visible.map(({ title }) => title)} />
        <div className="flex min-w-0 max-w-3xl flex-1 flex-col gap-8">
          {state === 'failed' ? (
            <div className="flex flex-col items-start gap-2">
              <InlineError error={error} />
              <Button small icon={RotateCw} onClick={() => void refresh()}>
                Try again
              </Button>
            </div>
          ) : null}
          {state === 'first' ? <SkeletonRows /> : null}
          {visible.map(({ title, body }) => (
            <Fragment key={title}>{body}</Fragment>
          ))}
        </div>
      </div>
    </Page>
  )
}

/** Links to the sections, on wide screens. */
function SectionNav({ titles }: { titles: readonly SectionTitle[] }) {
  return (
    <nav aria-label="Sections" className="sticky top-6 w-40 shrink-0 max-xl:hidden">
      <ul className="flex flex-col gap-px">
        {titles.map((title) => (
          <li key={title}>
            <a
              href={`#${sectionId(title)}`}
              className="flex h-8 items-center rounded-md px-2.5 font-medium text-ink-2 hover:bg-sunken hover:text-ink"
            >
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
