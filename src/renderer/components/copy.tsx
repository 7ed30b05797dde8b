import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, IconButton } from './button.tsx'
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

function useCopy(text: string): { copied: boolean; copy: () => void } {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])
  return { copied, copy: () => void copyText(text).then(setCopied) }
}

interface CopyProps {
  text: string
  /** The accessible name, such as "Copy secret". */
  label: string
}

export function CopyIconButton({ text, label }: CopyProps) {
  const { copied, copy } = useCopy(text)
  return <IconButton label={copied ? 'Copied' : label} icon={copied ? Check : Copy} small onClick={copy} />
}

export function CopyButton({ text, label, primary = false }: CopyProps & { primary?: boolean }) {
  const { copied, copy } = useCopy(text)
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
