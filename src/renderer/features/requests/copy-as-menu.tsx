import { Braces } from 'lucide-react'
import { toast } from 'sonner'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { getOrigin } from '../../../shared/tools/tool-config.ts'
import { api } from '../../data/api.ts'
import { useBaseUrl } from '../../data/hooks.ts'
import { toApiError } from '../../kit/api-error.ts'
import { copyText } from '../../kit/copy.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { Menu } from '../../kit/menu.tsx'
import { showError } from '../../kit/show-error.ts'
import { DEFAULT_BASE_URL } from '../../parts/snippets/build-snippets.ts'
import {
  createPlaceholderBody,
  REQUEST_CODE_KINDS,
  type RequestCodeKind,
  writeRequestCode,
} from '../../parts/snippets/request-code.ts'

/** Copies a request as code that sends it again. */
export function CopyAsMenu({ record }: { record: RequestRecord }) {
  const origin = getOrigin(useBaseUrl() ?? DEFAULT_BASE_URL)
  const copy = async (kind: RequestCodeKind) => {
    const endpoint = record.endpoint ?? 'POST /v1/chat/completions'
    try {
      const stored = await readBody(record)
      const body = stored ?? createPlaceholderBody(endpoint, record.requestedModel ?? record.model ?? 'MODEL')
      if (!(await copyText(writeRequestCode(kind, { endpoint, body }, origin)))) return
      toast.success(`Copied as ${kind}. It reads the key from TOLLGATE_API_KEY.`, {
        description: stored ? undefined : 'The prompt was not stored, so it has a placeholder message.',
      })
    } catch (thrown) {
      showError(`The request could not be copied: ${toApiError(thrown).message}`)
    }
  }
  return (
    <Menu
      label="Copy as code"
      trigger={<IconButton label="Copy as code" icon={Braces} small />}
      items={REQUEST_CODE_KINDS.map((kind) => ({
        label: `Copy as ${kind}`,
        onSelect: () => void copy(kind),
      }))}
    />
  )
}

/** Null when the request was not stored, or is no JSON. Throws ApiError. */
async function readBody({ id, bodiesKept }: RequestRecord): Promise<unknown> {
  if (!bodiesKept) return null
  const { request } = await api('getRequestBodies', { params: { id } })
  try {
    return JSON.parse(request ?? 'null')
  } catch {
    return null
  }
}
