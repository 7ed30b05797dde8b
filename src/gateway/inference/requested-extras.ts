// What a request asks for that is billed differently from the model's own tokens, in any API format.
import { isObject, type JsonObject, wholeNumber } from '../formats/json.ts'
import { otherTier } from '../formats/service-tier.ts'

export interface RequestedExtras {
  /** Searches of the web to reserve: as many as are allowed, or one where the request sets no limit. */
  webSearches: number
  /** The tier of service, if not the standard one. */
  tier: string | undefined
}

const MAX_SEARCHES = 1_000
/** Google's tools whose searches are billed. */
const GOOGLE_SEARCHES = ['googleSearch', 'google_search', 'googleSearchRetrieval', 'enterpriseWebSearch']

export function readExtras(request: JsonObject): RequestedExtras {
  const { tools, max_tool_calls: limit, service_tier: tier, serviceTier = tier } = request
  const list = Array.isArray(tools) ? tools.filter(isObject) : []
  const searching = list.filter(isSearch)
  const isAsked = searching.length > 0 || isObject(request.web_search_options)
  const limits = [limit, ...searching.map(({ max_uses: uses }) => uses)]
    .map((value) => wholeNumber(value, 1, MAX_SEARCHES))
    .filter((value) => value !== null)
  return {
    webSearches: isAsked ? Math.max(1, ...limits) : 0,
    tier: otherTier(serviceTier).otherTier,
  }
}

/** OpenAI's and Anthropic's tools have a type, Google's are members. */
function isSearch(tool: JsonObject): boolean {
  if (typeof tool.type === 'string') return tool.type.startsWith('web_search')
  return GOOGLE_SEARCHES.some((name) => name in tool)
}
