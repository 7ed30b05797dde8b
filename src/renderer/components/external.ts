import { toast } from 'sonner'
import { EXTERNAL_ORIGINS } from '../../shared/desktop.ts'
import { copyText } from './copy.tsx'

/** Opens a page in the browser. The desktop app opens only the origins on its list; other addresses are copied. */
export function openExternal(url: string): void {
  const { desktop } = window
  if (!desktop) {
    window.open(url, '_blank', 'noopener,noreferrer')
    return
  }
  if (EXTERNAL_ORIGINS.some((origin) => url === origin || url.startsWith(`${origin}/`))) {
    void desktop.openExternal(url)
    return
  }
  void copyText(url).then((done) => done && toast('Address copied. Open it in your browser.'))
}
