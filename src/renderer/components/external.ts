// Owns leading to a page outside. The desktop opens what is on its list; any other address is copied instead.
import { toast } from 'sonner'
import { EXTERNAL_ORIGINS } from '../../shared/desktop.ts'
import { copyText } from './copy.tsx'

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
  void copyText(url).then((done) => done && toast('The address was copied. Open it in your browser.'))
}
