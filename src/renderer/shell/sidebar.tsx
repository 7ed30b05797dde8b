import { LogOut } from 'lucide-react'
import { isDesktop } from '../is-desktop.ts'
import { useSession } from '../stores/session.ts'
import { GatewayStatus } from './gateway-status.tsx'
import { HelpMenu } from './help-menu.tsx'
import { SidebarButton } from './sidebar-button.tsx'
import { SidebarFrame } from './sidebar-frame.tsx'
import { UpdateSign } from './update-sign.tsx'

export function Sidebar() {
  return (
    <SidebarFrame>
      {isDesktop ? <UpdateSign /> : null}
      <HelpMenu />
      {isDesktop ? null : (
        <SidebarButton label="Sign out" icon={LogOut} onClick={() => useSession.getState().signOut()} />
      )}
      <GatewayStatus />
    </SidebarFrame>
  )
}
