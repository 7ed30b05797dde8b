import { LogOut } from 'lucide-react'
import { IconButton } from '../components/button.tsx'
import { isDesktop } from '../is-desktop.ts'
import { useSession } from '../stores/session.ts'
import { GatewayStatus } from './gateway-status.tsx'
import { SidebarFrame } from './sidebar-frame.tsx'

export function Sidebar() {
  return (
    <SidebarFrame>
      <GatewayStatus />
      {isDesktop ? null : (
        <IconButton label="Sign out" icon={LogOut} small onClick={() => useSession.getState().signOut()} />
      )}
    </SidebarFrame>
  )
}
