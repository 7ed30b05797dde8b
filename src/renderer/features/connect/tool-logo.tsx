import { Code, type LucideIcon, MessageSquare, SquareTerminal } from 'lucide-react'
import { Logo } from '../../kit/logo.tsx'
import type { LogoName } from '../../kit/logo-shapes.ts'
import type { Snippet, SnippetGroup } from '../../parts/snippets/snippet.ts'

const names: Readonly<Record<string, LogoName>> = {
  'ai-sdk': 'vercel',
  'anthropic-sdk': 'anthropic',
  'claude-code': 'claudecode',
  cline: 'cline',
  codex: 'codex',
  copilot: 'githubcopilot',
  cursor: 'cursor',
  gemini: 'geminicli',
  'google-genai': 'google',
  kilo: 'kilocode',
  langchain: 'langchain',
  'open-webui': 'openwebui',
  opencode: 'opencode',
  qwen: 'qwen',
  roo: 'roocode',
}

const fallbacks: Readonly<Record<SnippetGroup, LucideIcon>> = {
  agent: SquareTerminal,
  code: Code,
  chat: MessageSquare,
}

interface ToolLogoProps {
  tool: Pick<Snippet, 'id' | 'group'>
  size?: number
}

export function ToolLogo({ tool, size = 16 }: ToolLogoProps) {
  const name = names[tool.id]
  if (name) return <Logo name={name} size={size} className="shrink-0" />
  const Icon = fallbacks[tool.group]
  return <Icon size={size} aria-hidden strokeWidth={1.75} className="shrink-0" />
}
