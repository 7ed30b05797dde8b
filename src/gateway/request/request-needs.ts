import { REQUEST_NEEDS } from '../../shared/request-needs.ts'
import type { DecodedRequest } from '../formats/client-codec.ts'
import type { ImageData } from '../tokens/estimate-tokens.ts'

/** What the request asks of its model, as the ledger has it. */
export function requestNeeds(
  { request, untranslatable }: Pick<DecodedRequest, 'request' | 'untranslatable'>,
  images: ImageData,
): number {
  const { tools, response_format: format } = request
  let needs = images.count > 0 ? REQUEST_NEEDS.vision : 0
  if (tools && tools.length > 0) needs |= REQUEST_NEEDS.tools
  if (format && format.type !== 'text') needs |= REQUEST_NEEDS.json
  if (untranslatable) needs |= REQUEST_NEEDS.ownApi
  return needs
}
