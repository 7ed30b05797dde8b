import { toast } from 'sonner'
import { copyText } from './copy.tsx'

/** Opens a page in the browser. The desktop app opens only some origins; other addresses are copied. */
export async function openExternal(url: string): Promise<void> {
  const { desktop } = window
  if (!desktop) {
    window.open(url, '_blank', 'noopener,noreferrer')
    return
  }
  if (await desktop.openExternal(url).catch(() => false)) return
  if (await copyText(url)) toast('Address copied. Open it in your browser.')
}
