import { CircleQuestionMark, FileText } from 'lucide-react'
import { t } from 'ttag'
import { useLocation } from 'wouter'
import { HELP_PAGES } from '../../shared/desktop/views.ts'
import { isDesktop } from '../kit/is-desktop.ts'
import { Menu } from '../kit/menu.tsx'
import { revealLog } from '../parts/diagnostics/reveal.ts'
import { SidebarButton } from './sidebar-button.tsx'

/** The pages that the menu names; the help has links to the others. */
const PAGES: readonly string[] = ['/help/shortcuts', '/help/whats-new', '/help/report']

/** The items of the application menu under Help, for browsers too. */
export function HelpMenu() {
  const [, navigate] = useLocation()
  return (
    <Menu
      label={t`Help`}
      trigger={<SidebarButton label={t`Help`} icon={CircleQuestionMark} />}
      items={[
        { label: t`Documentation`, onSelect: () => navigate('/help/start') },
        ...HELP_PAGES.filter(({ href }) => PAGES.includes(href)).map(({ name, href }) => ({
          label: name,
          onSelect: () => navigate(href),
        })),
        ...(isDesktop
          ? ['separator' as const, { label: t`Reveal log`, icon: FileText, onSelect: () => void revealLog() }]
          : []),
      ]}
    />
  )
}
