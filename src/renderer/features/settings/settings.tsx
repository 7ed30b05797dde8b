import { useQuery } from '@tanstack/react-query'
import { RotateCw, TriangleAlert } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import type {
  Account,
  GatewayInfo,
  NetworkStatus,
  Plan,
  PlanId,
  Settings,
} from '../../../shared/api/account.ts'
import type { DesktopState } from '../../../shared/desktop/desktop.ts'
import { setLaunchAtLogin, updateAccount, updateSettings } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { isDesktop } from '../../kit/is-desktop.ts'
import { InlineError, SkeletonRows } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { SearchField } from '../../kit/search-field.tsx'
import { Select } from '../../kit/select.tsx'
import { useTheme } from '../../kit/theme.ts'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { AboutSection } from './about-section.tsx'
import { BackupSection } from './backup-section.tsx'
import { DiagnosticsSection } from './diagnostics-section.tsx'
import { GuardSection } from './guard-section.tsx'
import { LimitsSection } from './limits-section.tsx'
import { McpRow } from './mcp-row.tsx'
import { NotificationsSection } from './notifications-section.tsx'
import { OpenTelemetryRow } from './opentelemetry-row.tsx'
import { OriginsSection } from './origins.tsx'
import { PortRow } from './port-row.tsx'
import { PrometheusRow } from './prometheus-row.tsx'
import { RecordsSection } from './records-section.tsx'
import { FoundSettings, isSectionHidden, Row, Section, SwitchRow } from './section.tsx'
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

/** Where other programs get what Tollgate knows. */
export function IntegrationsSection() {
  const { data: telemetry, error } = useQuery({ ...queries.telemetry, refetchInterval: 5_000 })
  return (
    <Section title="Integrations">
      <OpenTelemetryRow telemetry={telemetry ?? null} error={error} />
      <PrometheusRow />
      <McpRow />
    </Section>
  )
}

export function AppearanceSection() {
  const { theme, setTheme } = useTheme()
  return (
    <Section title="Appearance">
      <Row title="Theme" text="Light, dark or match system.">
        <Select
          label="Theme"
          className="w-52"
          value={theme}
          options={[
            { value: 'system', label: 'System' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          onChange={setTheme}
        />
      </Row>
    </Section>
  )
}

const LIST_PRICE: PlanId = 'pay-as-you-go'
const DISCOUNTED: PlanId = 'bundle'

/** The account's plan: it decides whether costs are recorded at list price or at a discount. */
export function AdvancedSection({ account, plans }: { account: Account; plans: readonly Plan[] }) {
  const on = account.plan === DISCOUNTED
  const percent = plans.find(({ id }) => id === DISCOUNTED)?.discountPercent
  if (percent === undefined) return null
  return (
    <Section title="Advanced">
      <SwitchRow
        title="Negotiated discount"
        text={`For an agreement with your providers: records every new request ${percent}% below list price. A monthly fee is not recorded.`}
        on={on}
        save={(next) => updateAccount({ plan: next ? DISCOUNTED : LIST_PRICE })}
        below={
          on ? (
            <p className="mt-2 flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
              <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
              Recorded costs are {percent}% below list price. Turn this on only if your provider bills you
              that way.
            </p>
          ) : null
        }
      />
    </Section>
  )
}

export function GatewaySection({ desktop, info }: { desktop: DesktopState; info: GatewayInfo | null }) {
  return (
    <Section title="Gateway">
      <PortRow desktop={desktop} />
      <SwitchRow
        title="Launch at login"
        text="Start in the background when you log in, so that tools can always reach the gateway."
        on={desktop.launchAtLogin}
        save={setLaunchAtLogin}
      />
      {info ? <ContainerRow containers={info.containers} /> : null}
    </Section>
  )
}

/** In a browser the port cannot be changed, only shown. */
export function HeadlessSection({ info }: { info: GatewayInfo }) {
  return (
    <Section title="Gateway">
      <Row
        title="Port"
        text={
          <>
            The gateway listens on this port of its computer only. To change it, start{' '}
            <code className="font-mono">tollgate serve --port</code> with another port.
          </>
        }
      >
        <span className="font-mono text-ink-2 text-sm">{new URL(info.baseUrl).host}</span>
      </Row>
      <ContainerRow containers={info.containers} />
    </Section>
  )
}

/** Whether containers can reach the gateway, and why not. */
export function ContainerRow({ containers }: { containers: GatewayInfo['containers'] }) {
  const { enabled, baseUrl, problem } = containers
  return (
    <SwitchRow
      title="Containers"
      label="Let containers reach the gateway"
      on={enabled}
      save={(on) => updateSettings({ containerAccess: on })}
      text={
        <>
          <p>
            Also listen on Docker’s network of this computer. Every container here can then reach the gateway,
            but only use it with a key that is “Completions only” or “Full”. This interface stays closed to
            them.
          </p>
          {problem !== null ? (
            <p role="status" className="mt-1 text-bad">
              {problem}
            </p>
          ) : baseUrl !== null ? (
            <p role="status" className="mt-1">
              Inside a container: <span className="font-mono text-ink-2">{baseUrl}/v1</span>
            </p>
          ) : null}
        </>
      }
    />
  )
}

/** How connections to providers leave this computer. */
export function NetworkSection({ settings: { network } }: { settings: Settings }) {
  const { data: status } = useQuery(queries.networkStatus)
  return (
    <Section title="Network">
      <SwitchRow
        title="This computer’s proxy and certificates"
        label="Use this computer’s proxy and certificates"
        on={network === 'system'}
        save={(on) => updateSettings({ network: on ? 'system' : 'direct' })}
        text={
          <>
            <p>
              For networks that require a proxy, or inspect connections with a company’s certificate, which
              lets the company read them. Each provider can differ from this setting. Local servers are always
              called directly.
            </p>
            {status ? <FoundProxies {...status} /> : null}
          </>
        }
      />
    </Section>
  )
}

function FoundProxies({ isUsed, proxies, certificateProblem }: NetworkStatus) {
  return (
    <ul className="mt-1">
      {proxies.length === 0 ? <li>No proxy is set in the environment or the system.</li> : null}
      {proxies.map(({ address, source, problem }) => (
        <li key={address} className={problem === null ? '' : 'text-bad'}>
          {isUsed ? 'Uses ' : 'Found, not used: '}
          <span className="break-all font-mono">{address}</span> ({source}).
          {problem === null ? '' : ` ${problem}`}
        </li>
      ))}
      {certificateProblem === null ? null : <li className="text-bad">{certificateProblem}</li>}
    </ul>
  )
}
