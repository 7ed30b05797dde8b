import { LoaderCircle, type LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cn } from './cn.ts'
import { useConnection } from './connection.ts'

type Variant = 'primary' | 'secondary' | 'quiet' | 'danger'

interface ButtonProps extends ComponentProps<'button'> {
  variant?: Variant
  small?: boolean
  icon?: LucideIcon
  /** Shows a spinner and disables the button. */
  pending?: boolean
  /** Disables the button while the gateway is of no use. */
  needsGateway?: boolean
}

const variantClasses: Record<Variant, string> = {
  primary: 'bg-accent text-white hover:bg-accent-hover shadow-card',
  secondary: 'bg-surface text-ink border border-line-strong hover:bg-sunken shadow-card',
  quiet: 'text-ink-2 hover:bg-sunken hover:text-ink',
  danger: 'bg-bad-solid text-white hover:opacity-90 shadow-card',
}

export function Button({
  variant = 'secondary',
  small = false,
  icon: Icon,
  pending = false,
  needsGateway = false,
  disabled,
  className,
  children,
  ...rest
}: ButtonProps) {
  const hasOutage = useConnection(({ outage }) => outage !== null)
  const ShownIcon = pending ? LoaderCircle : Icon
  return (
    <button
      type="button"
      disabled={disabled || pending || (needsGateway && hasOutage)}
      aria-busy={pending || undefined}
      className={cn(
        'inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-md font-medium transition-colors duration-100 disabled:opacity-50',
        small ? 'h-7 px-2 text-sm' : 'h-8 px-3 text-base',
        variantClasses[variant],
        className,
      )}
      {...rest}
    >
      {ShownIcon ? (
        <ShownIcon size={small ? 13 : 14} aria-hidden className={pending ? 'animate-spin' : undefined} />
      ) : null}
      {children}
    </button>
  )
}
