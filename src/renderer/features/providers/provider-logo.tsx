import { Cpu, FlaskConical, type LucideIcon, Server } from 'lucide-react'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import { cn } from '../../kit/cn.ts'
import { Logo } from '../../kit/logo.tsx'
import { type LogoName, logos } from '../../kit/logo-shapes.ts'

/** Providers whose id is not the name of their logo. */
const otherNames: Readonly<Record<string, LogoName>> = {
  'bedrock-openai': 'bedrock',
  'chatgpt-plan': 'openai',
  'claude-plan': 'anthropic',
  siliconflow: 'siliconcloud',
  vertex: 'vertexai',
  'vertex-claude': 'vertexai',
}

function findLogo(id: string): LogoName | null {
  const name = otherNames[id] ?? id
  return isLogoName(name) ? name : null
}

function isLogoName(name: string): name is LogoName {
  return Object.hasOwn(logos, name)
}

interface ProviderLogoProps {
  /** Null for a custom server. */
  provider: Pick<ProviderRecord, 'id' | 'apiFormat' | 'local'> | null
  size?: number
  className?: string
}

export function ProviderLogo({ provider, size = 18, className }: ProviderLogoProps) {
  const name = provider === null ? null : findLogo(provider.id)
  if (name !== null) return <Logo name={name} size={size} className={cn('shrink-0', className)} />
  const Icon = fallbackIcon(provider)
  return <Icon size={size} aria-hidden strokeWidth={1.75} className={cn('shrink-0', className)} />
}

function fallbackIcon(provider: ProviderLogoProps['provider']): LucideIcon {
  if (provider?.apiFormat === 'sandbox') return FlaskConical
  return provider?.local ? Cpu : Server
}
