import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { isDesktop } from '../../kit/is-desktop.ts'
import { InlineError, SkeletonRows } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { SearchField } from '../../kit/search-field.tsx'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { AboutSection } from './about-section.tsx'
import { AdvancedSection } from './advanced-section.tsx'
import { AppearanceSection } from './appearance-section.tsx'
import { BackupSection } from './backup-section.tsx'
import { DiagnosticsSection } from './diagnostics-section.tsx'
import { GatewaySection, HeadlessSection } from './gateway-section.tsx'
import { GuardSection } from './guard-section.tsx'
import { IntegrationsSection } from './integrations-section.tsx'
import { LimitsSection } from './limits-section.tsx'
import { NetworkSection } from './network-section.tsx'
import { NotificationsSection } from './notifications-section.tsx'
import { OriginsSection } from './origins.tsx'
import { RecordsSection } from './records-section.tsx'
import { FoundSettings, isSectionHidden } from './section.tsx'
import { findSettings, type SectionTitle, settingAnchor } from './settings-index.ts'
import { UpdatesSection } from './updates-section.tsx'

interface SectionEntry {
  title: SectionTitle
  /** Null while its data is loading. */
  body: ReactNode
}

export function SettingsView() {
  const { data: settings, error, isPending, isLoadingError, refetch } = useQuery(queries.settings)
  const { data: account } = useQuery(queries.account)
  const { data: plans = [] } = useQuery(queries.plans)
  const { data: desktop = null } = useQuery(queries.desktop)
  const { data: info = null } = useQuery(queries.gateway)
  const [query, setQuery] = useAddressParam('q')
  const headless = info ? <HeadlessSection info={info} /> : null
  const sections: SectionEntry[] = [
    {
      title: 'Gateway',
      body: isDesktop ? desktop ? <GatewaySection desktop={desktop} info={info} /> : null : headless,
    },
    { title: 'Network', body: settings ? <NetworkSection settings={settings} /> : null },
    {
      title: 'Limits',
      body:
        account && settings ? <LimitsSection account={account} plans={plans} settings={settings} /> : null,
    },
    { title: 'Runaway guard', body: settings ? <GuardSection settings={settings} /> : null },
    { title: 'Notifications', body: settings ? <NotificationsSection settings={settings} /> : null },
    { title: 'Records', body: settings ? <RecordsSection settings={settings} /> : null },
    { title: 'Integrations', body: settings ? <IntegrationsSection /> : null },
    { title: 'Browser access (CORS)', body: settings ? <OriginsSection settings={settings} /> : null },
    { title: 'Appearance', body: <AppearanceSection /> },
    { title: 'Backup and restore', body: <BackupSection credentials={info?.credentials ?? null} /> },
    { title: 'Updates', body: <UpdatesSection info={info} /> },
    { title: 'Diagnostics', body: <DiagnosticsSection /> },
    { title: 'Advanced', body: account ? <AdvancedSection account={account} plans={plans} /> : null },
    { title: 'About', body: <AboutSection info={info} desktop={desktop} /> },
  ]
  const text = query?.trim() ?? ''
  const found = text === '' ? null : findSettings(text, isDesktop)
  const visible = sections.filter(({ title, body }) => body !== null && !isSectionHidden(title, found))
  return (
    <Page
      title="Settings"
      width="narrow"
      actions={
        <SearchField
          label="Search settings"
          value={query ?? ''}
          onChange={(next) => setQuery(next === '' ? null : next)}
        />
      }
    >
      <div className="flex items-start gap-8">
        <SectionNav titles={visible.map(({ title }) => title)} />
        <div className="flex min-w-0 flex-1 flex-col gap-8">
          {isLoadingError ? (
            <div className="flex flex-col items-start gap-2">
              <InlineError error={error} />
              <Button small icon={RotateCw} onClick={() => void refetch()}>
                Try again
              </Button>
            </div>
          ) : null}
          {isPending ? <SkeletonRows /> : null}
          <FoundSettings value={found}>
            {visible.map(({ title, body }) => (
              <Fragment key={title}>{body}</Fragment>
            ))}
          </FoundSettings>
          {found?.size === 0 ? (
            <p className="py-10 text-center text-ink-3">No settings match. Try a shorter search.</p>
          ) : null}
        </div>
      </div>
    </Page>
  )
}

/** Links to the sections, on wide screens. */
function SectionNav({ titles }: { titles: readonly SectionTitle[] }) {
  return (
    <nav aria-label="Sections" className="sticky top-6 -ml-2.5 w-46 shrink-0 max-xl:hidden">
      <ul className="flex flex-col gap-px">
        {titles.map((title) => (
          <li key={title}>
            <a
              href={`#${settingAnchor(title)}`}
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
