import { useQuery } from '@tanstack/react-query'
import { Link2 } from 'lucide-react'
import { type LinkedKind, linkTo } from '../../../shared/desktop/deep-links.ts'
import { queries } from '../../data/queries.ts'
import { CopyIconButton } from '../../kit/copy.tsx'

/** Copies a link that opens the desktop app there. Nothing where links do not open it, as in a browser. */
export function CopyLink({ kind, id }: { kind: LinkedKind; id: string }) {
  const { data: desktop } = useQuery(queries.desktop)
  if (!desktop?.handlesDeepLinks) return null
  return <CopyIconButton text={linkTo(kind, id)} label="Copy link" icon={Link2} />
}
