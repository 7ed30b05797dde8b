import { Link } from 'wouter'
import type { HelpHref } from '../../../shared/desktop/views.ts'
import { Document } from './document.tsx'
import { helpTexts, toHeadingId } from './help-pages.ts'

/** The paragraph that reaches this length is the last. */
const ENOUGH = 240

interface HelpSectionProps {
  page: HelpHref
  heading: string
}

/** The beginning of a section of the help, with a link to all of it. */
export function HelpSection({ page, heading }: HelpSectionProps) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls */}
      <div tabIndex={0} className="max-h-80 overflow-y-auto">
        <Document text={findParagraphs(helpTexts[page] ?? '', heading).join('\n\n')} />
      </div>
      <Link
        href={`${page}#${toHeadingId(heading)}`}
        className="mt-3 inline-block font-medium text-accent-ink hover:underline"
      >
        Read more
      </Link>
    </>
  )
}

/** The first paragraphs below a heading of a document in Markdown, without tables, lists and code. */
export function findParagraphs(text: string, heading: string): string[] {
  const [, below = ''] = text.split(new RegExp(`^#+ ${heading}$`, 'm'))
  const [section = ''] = below.split(/^#+ /m)
  return (
    section
      .split(/\n{2,}/)
      // The list that a colon announces is left out.
      .map((block) => block.trim().replace(/:$/, '.'))
      .filter((block) => /^[\p{L}*`“]/u.test(block))
      .filter((_, index, blocks) => blocks.slice(0, index).join('').length < ENOUGH)
  )
}
