import { useQuery } from '@tanstack/react-query'
import { ClipboardList, FileText, FolderOpen } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { LICENSES_FILE } from '../../../shared/desktop/license-file.ts'
import { readLicenses, type ShippedPackage } from '../../../shared/desktop/licenses.ts'
import { LOG_FILE } from '../../../shared/desktop/log-file.ts'
import { HELP_PAGES, type HelpHref } from '../../../shared/desktop/views.ts'
import { queries } from '../../data/queries.ts'
import { query } from '../../data/query-client.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { isDesktop } from '../../kit/is-desktop.ts'
import { InlineError, SkeletonRows } from '../../kit/notice.tsx'
import { Card, Page } from '../../kit/page.tsx'
import { includesWords, SearchField } from '../../kit/search-field.tsx'
import { Select } from '../../kit/select.tsx'
import { copyDiagnostics, revealDataDir, revealLog } from '../../parts/diagnostics/diagnostics.tsx'
import { Document } from '../../parts/help/document.tsx'
import { helpTexts } from '../../parts/help/help-pages.ts'
import { ShortcutList } from './shortcut-list.tsx'

/** The documentation, which needs no network. */
export function Help() {
  const [path, navigate] = useLocation()
  const [search, setSearch] = useState('')
  const page = HELP_PAGES.find(({ href }) => href === path) ?? HELP_PAGES[0]
  const found = HELP_PAGES.filter(({ name, href }) =>
    includesWords(`${name} ${helpTexts[href] ?? ''}`, search),
  )
  return (
    <Page title="Help" subtitle="The documentation of this version." width="narrow">
      <div className="flex items-start gap-8 max-md:flex-col max-md:items-stretch max-md:gap-4">
        <Select
          label="Page"
          value={page.href}
          options={HELP_PAGES.map(({ name, href }) => ({ value: href, label: name }))}
          onChange={(href) => navigate(href)}
          className="md:hidden"
        />
        <nav
          aria-label="Help"
          className="-my-1 sticky top-0 max-h-[calc(100dvh-6.5rem)] w-44 shrink-0 overflow-y-auto py-1 max-md:hidden"
        >
          <SearchField label="Search the help" value={search} onChange={setSearch} />
          {[...Map.groupBy(found, ({ group }) => group)].map(([group, pages]) => (
            <div key={group} className="mt-3">
              <h2 className="px-2.5 pb-1 font-medium text-ink-3 text-xs">{group}</h2>
              <ul aria-label={group} className="flex flex-col gap-px">
                {pages.map(({ name, href }) => (
                  <li key={href}>
                    <Link
                      href={href}
                      aria-current={href === page.href ? 'page' : undefined}
                      className={cn(
                        'flex min-h-8 items-center rounded-md px-2.5 py-1 font-medium leading-snug',
                        href === page.href ? 'bg-sunken text-ink' : 'text-ink-2 hover:bg-sunken',
                      )}
                    >
                      {name}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
          {found.length === 0 ? <p className="px-2.5 pt-3 text-ink-3">No pages match.</p> : null}
        </nav>
        <Card className="min-w-0 flex-1 p-6 max-sm:p-4">
          <Content href={page.href} name={page.name} />
        </Card>
      </div>
    </Page>
  )
}

const ownPages: Partial<Record<HelpHref, ReactNode>> = {
  '/help/shortcuts': <ShortcutList />,
  '/help/report': <ReportProblem />,
  '/help/licenses': <LicenseList />,
}

function Content({ href, name }: { href: HelpHref; name: string }) {
  const text = helpTexts[href]
  if (text !== undefined) return <Document key={href} text={text} />
  return (
    <>
      <h2 className="mb-4 font-semibold text-lg">{name}</h2>
      {ownPages[href] ?? null}
    </>
  )
}

export function ReportProblem() {
  const { data: info } = useQuery(queries.gateway)
  const { data: desktop } = useQuery(queries.desktop)
  const version = info?.version ?? desktop?.version ?? 'unknown'
  const dataDir = info?.dataDir ?? desktop?.dataDir
  return (
    <div className="flex flex-col gap-4">
      <p>A report should say what you did, what you expected, and what happened instead. Add:</p>
      <ul className="ml-5 flex list-disc flex-col gap-1">
        <li>the diagnostics: version, states and counts, without keys, credentials, names or prompts</li>
        <li>the id of a request that failed, from its details in Requests (it begins with req_)</li>
        <li>
          the lines of the log from that time; read them first, as they can contain names of models and
          servers
        </li>
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button icon={ClipboardList} onClick={() => void copyDiagnostics()}>
          Copy diagnostics
        </Button>
        {isDesktop ? (
          <>
            <Button icon={FileText} onClick={() => void revealLog()}>
              Reveal log
            </Button>
            <Button icon={FolderOpen} onClick={() => void revealDataDir()}>
              Open data folder
            </Button>
          </>
        ) : null}
      </div>
      {dataDir ? (
        <p className="text-ink-3 text-sm">
          The log is <code className="break-all font-mono">{`${dataDir}/${LOG_FILE}`}</code>
        </p>
      ) : null}
      <p className="text-ink-3 text-sm">{`Tollgate ${version}`}</p>
    </div>
  )
}

/** Null without the file, which the build writes. */
const licenses = query(['licenses'], async () => {
  const response = await fetch(`/${LICENSES_FILE}`)
  return response.ok ? readLicenses(await response.text()) : null
})

const NO_FILE = `The file ${LICENSES_FILE} is missing: only a built window has it.`

export function LicenseList() {
  const { data: packages, error } = useQuery(licenses)
  const [search, setSearch] = useState('')
  const found = packages?.filter(({ name, license }) => includesWords(`${name} ${license}`, search))
  return (
    <>
      <p className="mb-4">
        Tollgate is free software under the MIT License. It contains the packages below, which keep their
        licenses. The desktop app also contains Chromium, whose licenses are in LICENSES.chromium.html next to
        the program.
      </p>
      {error ? <InlineError error={error} /> : null}
      {packages === null ? <InlineError error={NO_FILE} /> : null}
      {packages && found ? (
        <>
          <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <SearchField label="Search packages and licenses" value={search} onChange={setSearch} />
            <span role="status" className="text-ink-3 text-sm">
              {found.length === packages.length
                ? `${packages.length} packages`
                : `${found.length} of ${packages.length} packages`}
            </span>
          </div>
          <ul className="divide-y divide-line border-line border-y">
            {found.map((each) => (
              <li key={each.name}>
                <LicensedPackage {...each} />
              </li>
            ))}
          </ul>
        </>
      ) : error || packages === null ? null : (
        <SkeletonRows rows={8} />
      )}
    </>
  )
}

/** The text is only there when it is shown: all of them together would be half a megabyte of elements. */
function LicensedPackage({ name, license, text }: ShippedPackage) {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex cursor-pointer items-baseline justify-between gap-4 rounded-md px-2 py-1.5 hover:bg-sunken">
        <span className="min-w-0 break-words">{name}</span>
        <span className="shrink-0 text-ink-3 text-sm">{license}</span>
      </summary>
      {open ? (
        <pre className="mx-2 mt-1 mb-3 overflow-x-auto whitespace-pre-wrap break-words rounded-md bg-sunken p-3 text-sm">
          {text}
        </pre>
      ) : null}
    </details>
  )
}
