import './markdown.css'
import type { ReactNode } from 'react'
import type { Components } from 'streamdown'
import { openExternal } from './external.ts'

/** Characters. An amount, a date or a few words stay on one line; a wide table scrolls. */
const SHORT = 24

function isShort(children: ReactNode): boolean {
  return typeof children === 'string' && children.length <= SHORT
}

/** Plain elements in place of Streamdown's own, which bring their own style. */
export const plainElements: Components = {
  code: ({ className, children }) => <code className={className}>{children}</code>,
  inlineCode: ({ children }) => <code>{children}</code>,
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
  thead: ({ children }) => <thead>{children}</thead>,
  tbody: ({ children }) => <tbody>{children}</tbody>,
  tr: ({ children }) => <tr>{children}</tr>,
  th: ({ children, style }) => (
    <th style={style} className={isShort(children) ? 'whitespace-nowrap' : undefined}>
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td style={style} className={isShort(children) ? 'whitespace-nowrap' : undefined}>
      {children}
    </td>
  ),
}

/** A link that opens in the browser; only its text where it is none to a web page. */
export function ExternalLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (!href || !/^https?:\/\//.test(href)) return <span>{children}</span>
  return (
    <a
      href={href}
      title={href}
      rel="noopener noreferrer"
      onClick={(event) => {
        event.preventDefault()
        void openExternal(href)
      }}
    >
      {children}
    </a>
  )
}
