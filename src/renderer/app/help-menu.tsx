import { CircleQuestionMark, FileText } from 'lucide-react'
import { useLocation } from 'wouter'
import { HELP_PAGES } from '../../shared/desktop/views.ts'
import { isDesktop } from '../kit/is-desktop.ts'
import { Menu } from '../kit/menu.tsx'
import { revealLog } from '../parts/diagnostics/diagnostics.tsx'
import { SidebarButton } from './sidebar-button.tsx'

/** The pages that the menu names; the help has links to the others. */
const PAGES: readonly string[] = ['/help/shortcuts', '/help/whats-new', '/help/report']

/** The items of the application menu under Help, for browsers too. */
export function HelpMenu() {
  const [, navigate] = useLocation()
  return (
    <Menu
      label="Help"
      trigger={<SidebarButton label="Help" icon={CircleQuestionMark} />}
      items={[
        { label: 'Documentation', onSelect: () => navigate('/help/start') },
        ...HELP_PAGES.filter(({ href }) => PAGES.includes(href)).map(({ name, href }) => ({
          label: name,
          onSelect: () => navigate(href),
        })),
        ...(isDesktop
          ? ['separator' as const, { label: 'Reveal log', icon: FileText, onSelect: () => void revealLog() }]
          : []),
      ]}
    />
  )
}
