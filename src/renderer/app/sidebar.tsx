import { useQuery } from '@tanstack/react-query'
import { CircleQuestionMark, LogOut } from 'lucide-react'
import type { KeyMetadata } from '../../shared/api/keys.ts'
import { unreadActivity } from '../data/activity.ts'
import { queries } from '../data/queries.ts'
import { useSession } from '../data/session.ts'
import { isDesktop } from '../kit/is-desktop.ts'
import { laterView } from '../kit/lazy-view.tsx'
import { GatewayStatus } from './gateway-status.tsx'
import { SidebarButton } from './sidebar-button.tsx'
import { SidebarFrame } from './sidebar-frame.tsx'

const updateSign = laterView(
  async () => (await import('./update-sign.tsx')).UpdateSign,
  () => null,
)
const helpMenu = laterView(
  async () => (await import('./help-menu.tsx')).HelpMenu,
  () => <SidebarButton label="Help" icon={CircleQuestionMark} />,
)

export function Sidebar() {
  const paused = useQuery({ ...queries.keys, select: countPaused }).data ?? 0
  const unread = useQuery(unreadActivity).data ?? 0
  return (
    <SidebarFrame
      marks={{
        '/keys': {
          count: paused,
          text: `${paused} ${paused === 1 ? 'key is' : 'keys are'} paused`,
          tone: 'warn',
        },
        '/activity': { count: unread, text: `${unread} unread`, tone: 'accent' },
      }}
    >
      {isDesktop ? <updateSign.View /> : null}
      <helpMenu.View />
      {isDesktop ? null : (
        <SidebarButton label="Sign out" icon={LogOut} onClick={() => useSession.getState().signOut()} />
      )}
      <GatewayStatus />
    </SidebarFrame>
  )
}

function countPaused(keys: readonly KeyMetadata[]): number {
  return keys.filter(({ pausedAt, revokedAt }) => pausedAt !== null && revokedAt === null).length
}
