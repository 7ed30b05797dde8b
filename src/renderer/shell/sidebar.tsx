import { CircleQuestionMark, LogOut } from 'lucide-react'
import { laterView } from '../components/lazy-view.tsx'
import { isDesktop } from '../is-desktop.ts'
import { useSession } from '../stores/session.ts'
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
  return (
    <SidebarFrame>
      {isDesktop ? <updateSign.View /> : null}
      <helpMenu.View />
      {isDesktop ? null : (
        <SidebarButton label="Sign out" icon={LogOut} onClick={() => useSession.getState().signOut()} />
      )}
      <GatewayStatus />
    </SidebarFrame>
  )
}
