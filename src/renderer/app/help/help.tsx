import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { HELP_PAGES, type HelpHref } from '../../../shared/desktop/views.ts'
import { cn } from '../../kit/cn.ts'
import { Card, Page } from '../../kit/page.tsx'
import { Select } from '../../kit/select.tsx'
import { Document } from '../../parts/help/document.tsx'
import { helpTexts } from '../../parts/help/help-pages.ts'
import { LicenseList } from './license-list.tsx'
import { ReportProblem } from './report-problem.tsx'
import { ShortcutList } from './shortcut-list.tsx'

/** The documentation, which needs no network. */
export function Help() {
  const [path, navigate] = useLocation()
  const page = HELP_PAGES.find(({ href }) => href === path) ?? HELP_PAGES[0]
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
          <ul className="flex flex-col gap-px">
            {HELP_PAGES.map(({ name, href }) => (
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
