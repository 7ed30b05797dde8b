// Links `tollgate://…` that the operating system passes to the app: as an argument of the first or a second instance, and on
// macOS as an event.
import { app } from 'electron'
import { findLink, LINK_SCHEME, readLink } from '../shared/desktop/deep-links.ts'
import type { AppHref } from '../shared/desktop/views.ts'
import { ownAppImage } from './app-image.ts'

export interface Links {
  /** Where the link opens that started the app; undefined if it was started without one. */
  readonly first: AppHref | undefined
  /** Opens later links, and brings the window to the front at each further start of the app. */
  follow(open: (href?: AppHref) => void): void
}

/** Must be called before the app is ready: macOS sends the link that starts the app early. */
export function receiveLinks(args: readonly string[]): Links {
  registerScheme()
  let first = hrefIn(args)
  let open: ((href?: AppHref) => void) | null = null
  app.on('open-url', (event, link) => {
    event.preventDefault()
    const href = readLink(link) ?? undefined
    if (open) open(href)
    else first = href
  })
  return {
    get first() {
      return first
    },
    follow(openHref) {
      open = openHref
      app.on('second-instance', (_event, laterArgs) => openHref(hrefIn(laterArgs)))
    },
  }
}

/** An installed app does. An AppImage, and the app as it is run in development, register no scheme. */
export function handlesDeepLinks(): boolean {
  return app.isPackaged && ownAppImage() === null
}

/** On Linux, the desktop entry of the package names the scheme. */
function registerScheme(): void {
  if (app.isPackaged && process.platform !== 'linux') app.setAsDefaultProtocolClient(LINK_SCHEME)
}

/** A link that opens nothing is like none: the app opens as it is. */
function hrefIn(args: readonly string[]): AppHref | undefined {
  const link = findLink(args)
  return link === null ? undefined : (readLink(link) ?? undefined)
}
