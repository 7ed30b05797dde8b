import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cn } from '../kit/cn.ts'

interface SidebarButtonProps extends ComponentProps<'button'> {
  label: string
  icon: LucideIcon
}

/** An action at the foot of the sidebar. */
export function SidebarButton({ label, icon: Icon, className, ...rest }: SidebarButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={cn(
        'flex h-8 w-full phone:h-10 items-center gap-2.5 rounded-md px-2.5 font-medium text-ink-2 hover:bg-sunken',
        className,
      )}
      {...rest}
    >
      <Icon size={15} aria-hidden className="shrink-0 text-ink-3" />
      <span className="rail:hidden">{label}</span>
    </button>
  )
}
