import { useQuery } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useId } from 'react'
import { updates } from '../../data/desktop-state.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { isDesktop } from '../../kit/is-desktop.ts'
import { InlineError, SkeletonRows } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { SearchField } from '../../kit/search-field.tsx'
import { useAddressParam } from '../../kit/use-address-param.ts'
import {
  SettingName,
  type SettingsData,
  type SettingsSection,
  settingAnchor,
  useHashTarget,
} from '../../parts/settings/section.tsx'
import { findSettings, sections } from './settings-index.ts'

export function SettingsView() {
  const { data: settings, error, isPending, isLoadingError, refetch } = useQuery(queries.settings)
  const { data: account } = useQuery(queries.account)
  const { data: plans = [] } = useQuery(queries.plans)
  const { data: desktop = null } = useQuery(queries.desktop)
  const { data: info = null } = useQuery(queries.gateway)
  const { data: update } = useQuery(updates)
  const data = { settings, account, plans, desktop, info, updates: update }
  const [query, setQuery] = useAddressParam('q')
  const text = query?.trim() ?? ''
  const found = text === '' ? sections : findSettings(text, isDesktop)
  const visible = found.filter((section) => section.isLoaded(data))
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
          {visible.map((section) => (
            <Section key={section.title} section={section} data={data} />
          ))}
          {found.length === 0 ? (
            <p className="py-10 text-center text-ink-3">No settings match. Try a shorter search.</p>
          ) : null}
        </div>
      </div>
    </Page>
  )
}

function Section({ section: { title, settings }, data }: { section: SettingsSection; data: SettingsData }) {
  const headingId = useId()
  const id = settingAnchor(title)
  const { ref } = useHashTarget(id)
  return (
    <section ref={ref} id={id} aria-labelledby={headingId} className="scroll-mt-4">
      <h2 id={headingId} className="mb-2 font-semibold">
        {title}
      </h2>
      <div className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface shadow-card">
        {settings.map(({ name, render }) => (
          <SettingName key={name} value={name}>
            {render(data)}
          </SettingName>
        ))}
      </div>
    </section>
  )
}

/** Links to the sections, on wide screens. */
function SectionNav({ titles }: { titles: readonly string[] }) {
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
