/**
 * What a request asked of its model besides text: stored with the request as a sum of these, because they decide which other
 * models could have served it. The numbers are in databases: none may change.
 */
export const REQUEST_NEEDS = {
  vision: 1,
  tools: 2,
  json: 4,
  /** Something that only the API of its provider has, such as a tool that the provider runs. */
  ownApi: 8,
} as const
