import { Check, Copy, type LucideIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import { showError } from './show-error.ts'

const COPIED_SHOWN_MS = 1500

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    showError('The clipboard is not available. Select the text and copy it manually.')
    return false
  }
}

interface CopyProps {
  text: string
  /** The accessible name, such as "Copy secret". */
  label: string
  onCopied?: () => void
}

function useCopy({ text, onCopied }: CopyProps): { copied: boolean; copy: () => void } {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    const done = await copyText(text)
    setCopied(done)
    if (done) onCopied?.()
  }
  return { copied, copy: () => void copy() }
}

export function CopyIconButton({ icon = Copy, ...props }: CopyProps & { icon?: LucideIcon }) {
  const { label } = props
  const { copied, copy } = useCopy(props)
  return <IconButton label={copied ? 'Copied' : label} icon={copied ? Check : icon} small onClick={copy} />
}

export function CopyButton({ primary = false, ...props }: CopyProps & { primary?: boolean }) {
  const { label } = props
  const { copied, copy } = useCopy(props)
  return (
    <Button
      variant={primary ? 'primary' : 'secondary'}
      icon={copied ? Check : Copy}
      onClick={copy}
      aria-label={label}
    >
      {copied ? 'Copied' : label}
    </Button>
  )
}

interface CodeBlockProps {
  code: string
  /** Where to paste it: a file's path, or "Terminal". */
  title?: string | undefined
  /** The accessible name of the copy button. */
  copyLabel?: string
  onCopied?: () => void
}

export function CodeBlock({ code, title, copyLabel = 'Copy code', onCopied }: CodeBlockProps) {
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-surface">
      <figcaption className="flex h-9 items-center justify-between gap-2 border-line border-b bg-canvas pr-1 pl-3 text-ink-2 text-sm">
        <span className="truncate">{title}</span>
        <CopyIconButton text={code} label={copyLabel} {...(onCopied ? { onCopied } : {})} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable from the keyboard */}
      <pre tabIndex={0} className="overflow-x-auto p-3 font-mono text-sm -outline-offset-2">
        <code>{code}</code>
      </pre>
    </figure>
  )
}
