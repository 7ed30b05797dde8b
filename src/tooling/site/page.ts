/** A page of the documentation site. */
export interface SitePage {
  /** Without `.md`: `start`, `tools/codex`. */
  path: string
  title: string
  text: string
}

export interface SiteGroup {
  title: string
  pages: readonly SitePage[]
}

export function getTitle(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? 'Untitled'
}
