import { readAdminKey } from '../data/admin-key.ts'
import { isDesktop } from '../kit/is-desktop.ts'
import { SidebarFrame } from './sidebar-frame.tsx'
import { ViewPlaceholder } from './view-placeholder.tsx'

/** The window until the app is loaded. In a browser it is empty while it is not known whether the user is signed in. */
export function StartingWindow() {
  if (!isDesktop && readAdminKey() === null) return null
  return (
    <div className="flex h-full">
      <SidebarFrame />
      <div className="flex min-w-0 flex-1 border-line border-l bg-canvas">
        <ViewPlaceholder />
      </div>
    </div>
  )
}
