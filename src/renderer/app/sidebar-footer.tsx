import { useQuery } from '@tanstack/react-query'
import { ArrowUpCircle, CircleQuestionMark, FileText, Sparkles } from 'lucide-react'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import type { UpdateState } from '../../shared/desktop/updates.ts'
import { HELP_PAGES } from '../../shared/desktop/views.ts'
import { dismissUpdateNews, followUpdates, updates } from '../data/desktop-state.ts'
import { isDesktop } from '../kit/is-desktop.ts'
import { Menu } from '../kit/menu.tsx'
import { revealLog } from '../parts/diagnostics/diagnostics.tsx'
import { SidebarButton } from './sidebar-button.tsx'

/** Says at the foot of the sidebar that there is an update, or that there was one. */
export function UpdateSign() {
  const { data: state } = useQuery(updates)
  const [, navigate] = useLocation()
  useEffect(() => followUpdates(), [])
  if (!state) return null
  const label = getLabel(state)
  if (label !== null) {
    return (
      <SidebarButton
        label={label}
        icon={ArrowUpCircle}
        className="[&>svg]:text-accent-ink"
        onClick={() => navigate('/settings#updates')}
      />
    )
  }
  if (state.updatedFrom === null) return null
  return (
    <SidebarButton
      label={`New in ${state.installedVersion}`}
      icon={Sparkles}
      onClick={() => {
        navigate('/help/whats-new')
        void dismissUpdateNews()
      }}
    />
  )
}

function getLabel({ phase }: UpdateState): string | null {
  switch (phase) {
    case 'available':
      return 'Update available'
    case 'downloading':
      return 'Downloading update'
    case 'ready':
      return 'Restart to update'
    case 'restarting':
      return 'Restarting'
    default:
      return null
  }
}

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
