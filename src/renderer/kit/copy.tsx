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
