import { QueryClient } from '@tanstack/react-query'

/** What the gateway has answered. One for the page, as live events change it from outside of any component. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The gateway is on this computer: it can be reached whether or not there is a network.
      networkMode: 'always',
      retry: false,
      retryOnMount: false,
      // Live events keep the answers current.
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    },
  },
})
